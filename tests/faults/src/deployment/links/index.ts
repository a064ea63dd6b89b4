// The links between processes: what calls what, each link through a proxy that delays, cuts or resets it.

import { type Balancer, openBalancer } from '../balancer.ts';
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
  /** The bytes that the link has carried since the start, in both directions. */
  carried(link: string): number;
  close(): Promise<void>;
}

/** Opens a proxy for each link. `urls` has the address of every service, of the store and of the broker. */
export const openLinks = async (program: string, urls: Readonly<Record<Target, string>>): Promise<Links> => {
  const proxies = await startToxiproxy(program);
  const listening = new Map<string, string>();
  // The program counts the bytes of closed connections only, so a relay behind each proxy counts.
  const counters = new Map<string, Balancer>();
  const close = async (): Promise<void> => {
    await proxies.close();
    await Promise.all([...counters.values()].map((counter) => counter.close()));
  };
  try {
    for (const { name, target } of linkNames) {
      const counter = await openBalancer();
      counters.set(name, counter);
      counter.add(Number(new URL(urls[target]).port));
      listening.set(name, await proxies.add(name, new URL(counter.url).host));
    }
  } catch (error) {
    await close();
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
    carried: (link) => counters.get(link)?.carried() ?? 0,
    close,
  };
};
