// What the page says of its shop, the addresses of the shop's pages, and the title of the window. Imports nothing.

const block = globalThis.document?.querySelector('[data-shop]');

/**
 * The point of sale as the server wrote it into the page.
 *
 * @type {{ serviceHost: string, name: string, language: string, texts: string, region: string, currency: string,
 *   exponents: Record<string, number>, paymentMethods: string[], imageHosts: string[], requireTerms: boolean,
 *   isDemo: boolean, sendsMails: boolean,
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

/** Whether a page of the house shows the shop in a frame. */
export function isFramed() {
  return window.top !== undefined && window.top !== window;
}

/** A cookie of the shop's pages, without an end: it ends with the browser. An empty value deletes it. */
export function writeCookie(name, value) {
  const end = value === '' ? '; Max-Age=0' : '';
  // The Cookie Store API is asynchronous, and unknown to browsers that the shop supports.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${name}=${value}; Path=/shop; SameSite=Strict; Secure${end}`;
}

/** Whether it is a page of another site: there browsers keep no cookie of the shop, so no cart. */
export function isConfined() {
  if (!isFramed()) return false;
  writeCookie('boxoffice.probe', '1');
  const isKept = document.cookie.includes('boxoffice.probe=');
  writeCookie('boxoffice.probe', '');
  return !isKept;
}

/** Where one logs in, and what shows an order: only in the whole window, of which one sees the address. */
const WHOLE = /^\/(?:account|order|ticket-link|lost-link)\b/;
const OF_CART = /^\/(?:cart|checkout)\b/;

/** The address of a page that leaves the frame, in whose language it stays: another site's frame keeps no choice. */
export function linkToWhole(path) {
  return `${link(path)}${path.includes('?') ? '&' : '?'}lang=${shop.language}`;
}

/** Whether a page is only in the whole window, where it then opens. The browser resolves the path: `/./account`. */
const leavesFrame = (path) => {
  if (!isFramed()) return false;
  const shown = pathOf(new URL(link(path), location.origin).pathname) ?? '';
  const isWhole = WHOLE.test(shown) || (OF_CART.test(shown) && isConfined());
  if (isWhole) window.open(linkToWhole(path), '_top');
  return isWhole;
};

/** Shows the page of a path. */
export function go(path) {
  if (leavesFrame(path)) return;
  history.pushState(null, '', link(path));
  window.dispatchEvent(new Event(MOVED));
}

/** Takes over the address of an earlier release, which had its page after `#/`. */
export function replaceOldAddress() {
  const [, path] = /^#(\/.*)$/.exec(location.hash) ?? [];
  if (path && !leavesFrame(path)) history.replaceState(null, '', link(path));
}

/** Sets the title of the window. */
export function setTitle(title) {
  document.title = `${title} · ${shop.name}`;
}
