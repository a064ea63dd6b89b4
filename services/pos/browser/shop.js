// The entry of the shop: shows the page of the address. It uses only the point-of-sale API.
import { Refusal } from './api.js';
import { h, screenReaderText } from './dom.js';
import { go, link, MOVED, pathOf, replaceOldAddress, setTitle, shop } from './frame.js';
import { announce, clearAnnouncement, clearNotices, notice, showError, wordsOf } from './notices.js';
import { cartItems, loadCart, onChange, onFollowed, onLoss, restore, timeLeft, visitor } from './state.js';
import { clock, errorText, t, typeOf, useTexts } from './texts/index.js';

/** The pages by their paths; each is loaded when it is first shown. */
const pages = [
  [/^\/$/, async () => (await import('./pages/shows.js')).showsPage],
  [/^\/show\/([^/]+)$/, async () => (await import('./pages/show.js')).showPage],
  [/^\/cart$/, async () => (await import('./pages/cart.js')).cartPage],
  [/^\/checkout$/, async () => (await import('./pages/checkout.js')).checkoutPage],
  [/^\/order\/([^/]+)$/, async () => (await import('./pages/order.js')).orderPage],
  [/^\/ticket-link$/, async () => (await import('./pages/order.js')).ticketLinkPage],
  [/^\/lost-link$/, async () => (await import('./pages/lost-link.js')).lostLinkPage],
  [/^\/account$/, async () => (await import('./pages/account.js')).accountPage],
];

const main = document.querySelector('main');

/** Decodes a part of the address; an ill-formed escape is returned as it is. */
const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The current page with its parameters. */
const place = () => {
  const path = pathOf(location.pathname) ?? '/';
  const found = pages
    .map(([pattern, load]) => ({ load, parts: pattern.exec(path)?.slice(1) }))
    .find((one) => one.parts);
  const query = new URLSearchParams(location.search);
  query.delete('lang');
  return { load: found?.load, parameters: (found?.parts ?? []).map(decoded), query, path };
};

const failed = (error) => {
  const missing = !error || (error instanceof Refusal && error.status === 404);
  const again = h('button', { type: 'button', class: 'button', onclick: () => show() }, t('tryAgain'));
  const home = h('a', { class: 'button button-quiet', href: link('/') }, t('toProgramme'));
  const logIn = h('a', { class: 'button', href: link('/account') }, t('logIn'));
  const isOver = error instanceof Refusal && error.status === 401;
  const title = missing ? t('notFoundTitle') : isOver ? t('sessionOverTitle') : t('errorTitle');
  const text = missing ? t('notFoundText') : isOver ? t('logInText') : wordsOf(error);
  return {
    title,
    node: h(
      'div',
      { class: 'wrap page-message' },
      h('h1', { tabindex: '-1' }, title),
      h('p', { class: 'lead' }, text),
      h('p', { class: 'buttons' }, missing ? home : [isOver ? logIn : again, home]),
    ),
  };
};

/**
 * What the server wrote into the page for its first drawing; only for its own address, and a visitor who has neither a
 * login nor codes.
 */
const takeFirst = () => {
  const { first } = shop;
  delete shop.first;
  const isAnybody = !visitor.contact && visitor.cart.codes.length === 0;
  return first?.address === location.pathname + location.search && isAnybody ? first.data : undefined;
};

let current = { leave: undefined };
let lastDraw = 0;

const SLOW_MS = 800;

/** Draws the page of the address. `isUpdate`: the same page is redrawn; scroll position and focus stay. */
const show = async ({ isUpdate = false, scroll = 0 } = {}) => {
  lastDraw += 1;
  const mine = lastDraw;
  const { load, parameters, query, path } = place();
  if (!isUpdate) clearAnnouncement();
  main.setAttribute('aria-busy', 'true');
  const timer = setTimeout(() => announce(t('oneMoment')), SLOW_MS);
  const context = { redraw: () => show({ isUpdate: true }), first: takeFirst(), drawn: main.firstElementChild };
  const drawn = await (load ? load().then((page) => page(parameters, query, context)) : Promise.reject()).catch(failed);
  clearTimeout(timer);
  if (mine !== lastDraw) {
    drawn.leave?.();
    return;
  }
  current.leave?.();
  current = drawn;
  if (document.querySelector('[data-announcer]').textContent === t('oneMoment')) clearAnnouncement();
  const hadFocus = main.contains(document.activeElement);
  // What the server has drawn stays.
  if (main.firstElementChild !== drawn.node) main.replaceChildren(drawn.node);
  main.removeAttribute('aria-busy');
  setTitle(drawn.title);
  updateHeader(path);
  if (isUpdate) {
    if (hadFocus) main.querySelector('h1')?.focus();
    return;
  }
  window.scrollTo(0, scroll);
  main.querySelector('h1')?.focus({ preventScroll: true });
};

const header = document.querySelector('.frame-header');

const cartParts = () => {
  const count = cartItems().length;
  if (count === 0) return [];
  return [
    h('span', { class: 'cart-count', 'aria-hidden': 'true' }, count),
    screenReaderText(t('placesInCart', { type: typeOf(cartItems()), count })),
    // Changes every second: hidden from screen readers.
    h('span', { class: 'cart-clock', 'aria-hidden': 'true', 'data-clock': true }, clock(timeLeft())),
  ];
};

/** Updates the header of the server: the current page, the login, the cart, and the page in other languages. */
const updateHeader = (path = place().path) => {
  for (const anchor of header.querySelectorAll('nav a, .cart-link')) {
    if (anchor.getAttribute('href') === link(path)) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
  header.querySelector('[data-account]').textContent = visitor.contact ? t('myTickets') : t('logInLink');
  header.querySelector('[data-cart]').replaceChildren(...cartParts());
  for (const anchor of header.querySelectorAll('[hreflang]')) {
    const address = new URL(location.href);
    address.searchParams.set('lang', anchor.hreflang);
    anchor.href = address.href;
  }
};

const LAST_MS = 120_000;

/** The remaining minutes that are announced to screen readers, once each. */
const ANNOUNCED_MINUTES = [10, 5, 2, 1];

/** Between two questions whether a cart has expired. */
const RELOAD_MS = 2_000;

let announced = '';
let reloadAt = 0;

const announceLeft = (left) => {
  const minutes = ANNOUNCED_MINUTES.findLast((one) => left <= one * 60_000);
  const key = `${visitor.cart.expiresAt} ${minutes}`;
  if (minutes === undefined || key === announced) return;
  // A cart that starts between two of these times is not announced before the next.
  if (announced.startsWith(`${visitor.cart.expiresAt} `) || left > (minutes - 1) * 60_000)
    announce(t('minutesLeft', { count: minutes }));
  announced = key;
};

const showOn = (left) => (element) => {
  element.textContent = clock(left);
  element.classList.toggle('is-short', left < LAST_MS);
};

const tick = () => {
  const { expiresAt } = visitor.cart;
  if (!expiresAt) return;
  const left = timeLeft();
  document.querySelectorAll('[data-clock]').forEach(showOn(left));
  announceLeft(left);
  // Only the server knows whether the cart has expired: its hold may have been extended elsewhere. Its clock may be
  // behind, and an answer may be lost.
  if (left <= 0 && Date.now() >= reloadAt) {
    reloadAt = Date.now() + RELOAD_MS;
    setTimeout(() => loadCart().catch(() => undefined), 300);
  }
};

let isRunning = false;

/** Updates every `[data-clock]` of the page twice a second. */
const startCountdown = () => {
  if (!isRunning) setInterval(tick, 500);
  isRunning = true;
};

let wasExpired = false;

onChange(() => {
  updateHeader();
  if (cartItems().length > 0) startCountdown();
  if (visitor.cartExpired && !wasExpired) {
    const { path } = place();
    if (path === '/cart' || path === '/checkout') void show();
    else notice('error', t('cartExpiredNotice'));
  }
  wasExpired = visitor.cartExpired;
});

onFollowed((what) => {
  const { path } = place();
  if (what === 'login' || path === '/cart' || path === '/checkout') void show({ isUpdate: true });
});

onLoss(() => notice('error', errorText('session_invalid')));

document.querySelector('[data-skip]').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

/** Remembers how far the page is scrolled, for the way back. */
const keepScroll = () => history.replaceState({ scroll: window.scrollY }, '');

const move = (scroll = 0) => {
  clearNotices();
  void show({ scroll });
};

// Links between pages of the shop load nothing anew, except in another tab or language.
document.addEventListener('click', (event) => {
  const anchor = event.target.closest('a[href]');
  if (!anchor || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (anchor.target || anchor.hasAttribute('download') || anchor.hreflang) return;
  const { origin, pathname, search, hash } = new URL(anchor.href);
  const path = pathOf(pathname);
  if (origin !== location.origin || path === undefined || hash !== '') return;
  event.preventDefault();
  keepScroll();
  go(path + search);
});

window.addEventListener(MOVED, () => move());
window.addEventListener('popstate', ({ state }) => move(state?.scroll ?? 0));
window.addEventListener('pagehide', keepScroll);

replaceOldAddress();
history.scrollRestoration = 'manual';
useTexts(await import(`./texts/${shop.texts}.js`).then((all) => all[shop.texts]));
const scrolled = history.state?.scroll ?? 0;
await restore().catch((error) => {
  if (!(error instanceof Refusal) || error.status !== 401) showError(error);
});
await show({ isUpdate: true });
main.setAttribute('data-live', '');
if (scrolled > 0) window.scrollTo(0, scrolled);
