// The modules of the page, which browsers load as they are.

/** A module of `services/tickets/door`, without types. */
// biome-ignore lint/suspicious/noExplicitAny: plain JavaScript
export const doorModule = (name: string): Promise<any> => import(new URL(`../../door/${name}`, import.meta.url).href);
