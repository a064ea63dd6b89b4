/** A module of the shop, which is plain JavaScript without types. */
// biome-ignore lint/suspicious/noExplicitAny: the browser's code has no types
export const shopModule = (name: string): Promise<any> =>
  import(new URL(`../../../shop/${name}`, import.meta.url).href);
