// The links between processes: what calls what, each link through a proxy that delays, cuts or resets it.

import type { Damage } from './damage.ts';
import { addressesOf, linkNames, type Target } from './pairs.ts';
import { startToxiproxy } from './toxiproxy.ts';

/** The links of a deployment, each with a proxy of its own. */
export interface Links {
  /** Every link, as `orders → catalog`. */
  readonly names: readonly string[];
  /** The settings of a calling process that put its links through the proxies. */
  settingsOf(caller: string): Readonly<Record<string, string>>;
  /** Damages a link until {@link mend}. */
  damage(link: string, damage: Damage): Promise<void>;
  /** Takes every damage of the link back. */
  mend(link: string): Promise<void>;
  /** The bytes that each link has carried since its start, in both directions. */
  carried(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** Opens a proxy for each link. `urls` has the address of every service, of the store and of the broker. */
export const openLinks = async (program: string, urls: Readonly<Record<Target, string>>): Promise<Links> => {
  const proxies = await startToxiproxy(program);
  const listening = new Map<string, string>();
  try {
    for (const { name, target } of linkNames) listening.set(name, await proxies.add(name, new URL(urls[target]).host));
  } catch (error) {
    await proxies.close();
    throw error;
  }
  return {
    names: linkNames.map(({ name }) => name),
    settingsOf: (caller) => addressesOf(caller, urls, (name) => String(listening.get(name))),
    async damage(link, { cut, toxics }) {
      if (cut) await proxies.enable(link, false);
      for (const toxic of toxics) await proxies.poison(link, toxic);
    },
    async mend(link) {
      await proxies.heal(link);
      await proxies.enable(link, true);
    },
    carried: () => proxies.carried(),
    close: () => proxies.close(),
  };
};
