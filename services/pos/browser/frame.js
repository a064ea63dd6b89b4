// What the page says of its shop, the addresses of the shop's pages, and the title of the window. Imports nothing.

const block = globalThis.document?.querySelector('[data-shop]');

/**
 * The point of sale as the server wrote it into the page.
 *
 * @type {{ serviceHost: string, name: string, language: string, texts: string, region: string, currency: string,
 *   exponents: Record<string, number>, paymentMethods: string[], isDemo: boolean, sendsMails: boolean,
 *   organiser: { name: string, address: string },
 *   first?: { address: string, data: object } }}
 */
export const shop = JSON.parse(block?.textContent ?? '{}');

/** Replaces the point of sale: the server draws its pages with it, one after the other. */
export function useShop(given) {
  return Object.assign(shop, given);
}

/** The address of a page of the shop, from its path, such as `/cart`. */
export function link(path) {
  return `/shop/${shop.serviceHost}${path}`;
}

/** The path of an address of this shop, such as `/cart`; undefined elsewhere. */
export function pathOf(address) {
  const root = link('');
  return address.startsWith(`${root}/`) ? address.slice(root.length) : undefined;
}

/** The event of the window after which another page is shown. */
export const MOVED = 'shop:moved';

/** Shows the page of a path. */
export function go(path) {
  history.pushState(null, '', link(path));
  window.dispatchEvent(new Event(MOVED));
}

/** Sets the title of the window. */
export function setTitle(title) {
  document.title = `${title} · ${shop.name}`;
}
