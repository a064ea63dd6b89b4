import { CALLS, SERVICES } from '@boxoffice/authorizer';

/** The kinds of process that serve requests. */
const serving = ['authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'pos'] as const;

/** The end of a link that listens. */
export type Target = (typeof serving)[number] | 'store' | 'broker';

/** A link from one kind of process to another; all its instances share it. */
export interface LinkName {
  readonly name: string;
  readonly caller: string;
  readonly target: Target;
}

const callersOf = (target: Target): readonly string[] => {
  if (target === 'store') return serving;
  if (target === 'broker') return ['gateway', ...serving];
  if (target === 'authorizer') return SERVICES;
  const internal = Object.keys(CALLS).filter((caller) => CALLS[caller]?.[target] !== undefined);
  return [...new Set(['gateway', ...internal])];
};

/** Every link of an installation. */
export const linkNames: readonly LinkName[] = [...serving, 'store' as const, 'broker' as const].flatMap((target) =>
  callersOf(target).map((caller) => ({ name: `${caller} → ${target}`, caller, target })),
);

/** The setting that names the target's address. */
const settingOf = (target: Target): string => {
  if (target === 'store') return 'MONGODB_URL';
  return target === 'broker' ? 'AMQP_URL' : `${target.toUpperCase()}_URL`;
};

/** The same URL at another `host:port`. @throws {Error} when it is no URL of a server */
export const moved = (url: string, address: string): string => {
  const parts = /^([a-z+]+:\/\/(?:[^@/]*@)?)[^/?]+(.*)$/.exec(url);
  if (!parts) throw new Error(`${url} is not the URL of a server`);
  return `${parts[1]}${address}${parts[2]}`;
};

/** The settings that put the links of a caller through proxies, whose `host:port` `listening` returns by the link. */
export const addressesOf = (
  caller: string,
  urls: Readonly<Record<Target, string>>,
  listening: (link: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    linkNames
      .filter((link) => link.caller === caller)
      .map(({ name, target }) => [settingOf(target), moved(urls[target], listening(name))]),
  );
