// The entry of the shop: shows the page of the address. It uses only the point-of-sale API.
import { Refusal, useLanguage } from './api.js';
import { startCountdown } from './countdown.js';
import { h } from './dom.js';
import { footer, header, setTitle } from './frame.js';
import { announce, clearAnnouncement, clearNotices, notice, showError, wordsOf } from './notices.js';
import { accountPage } from './pages/account.js';
import { cartPage } from './pages/cart.js';
import { checkoutPage } from './pages/checkout.js';
import { orderPage } from './pages/order.js';
import { showPage } from './pages/show.js';
import { showsPage } from './pages/shows.js';
import { onChange, onLoss, restore, visitor } from './state.js';
import { choose, errorText, language, t } from './texts/index.js';

const pages = [
  [/^\/$/, showsPage],
  [/^\/show\/([^/]+)$/, showPage],
  [/^\/cart$/, cartPage],
  [/^\/checkout$/, checkoutPage],
  [/^\/order\/([^/]+)$/, orderPage],
  [/^\/account$/, accountPage],
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

/** The current page with its parameters: the part of the address after `#`. */
const place = () => {
  const [path, query = ''] = (location.hash.slice(1) || '/').split('?', 2);
  const found = pages
    .map(([pattern, page]) => ({ page, parts: pattern.exec(path)?.slice(1) }))
    .find((one) => one.parts);
  return { page: found?.page, parameters: (found?.parts ?? []).map(decoded), query: new URLSearchParams(query), path };
};

/** The page for an address whose host is not a point of sale. */
const noShop = () => ({
  title: t('noShopTitle'),
  node: h(
    'div',
    { class: 'wrap page-message' },
    h('h1', { tabindex: '-1' }, t('noShopTitle')),
    h('p', { class: 'lead' }, t('noShopText')),
  ),
});

const failed = (error) => {
  if (error instanceof Refusal && error.code === 'context_invalid') return noShop();
  const missing = !error || (error instanceof Refusal && error.status === 404);
  const again = h('button', { type: 'button', class: 'button', onclick: () => show() }, t('tryAgain'));
  const home = h('a', { class: 'button button-quiet', href: '#/' }, t('toProgramme'));
  const logIn = h('a', { class: 'button', href: '#/account' }, t('logIn'));
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

let current = { leave: undefined };
let lastDraw = 0;

const SLOW_MS = 800;

/** Announces a page that loads slowly; before the first page it shows the message at once. */
const announceIfSlow = () => {
  if (!main.querySelector('h1')) main.replaceChildren(h('p', { class: 'wrap lead late' }, t('oneMoment')));
  return setTimeout(() => announce(t('oneMoment')), SLOW_MS);
};

/** Draws the page of the address. `isUpdate`: the same page is redrawn; scroll position and focus stay. */
const show = async ({ isUpdate = false } = {}) => {
  lastDraw += 1;
  const mine = lastDraw;
  const { page, parameters, query, path } = place();
  if (!isUpdate) clearAnnouncement();
  main.setAttribute('aria-busy', 'true');
  const timer = announceIfSlow();
  const drawn = await (page
    ? page(parameters, query, { redraw: () => show({ isUpdate: true }) })
    : Promise.reject()
  ).catch(failed);
  clearTimeout(timer);
  if (mine !== lastDraw) {
    drawn.leave?.();
    return;
  }
  current.leave?.();
  current = drawn;
  if (document.querySelector('[data-announcer]').textContent === t('oneMoment')) clearAnnouncement();
  const hadFocus = main.contains(document.activeElement);
  main.replaceChildren(drawn.node);
  main.removeAttribute('aria-busy');
  setTitle(drawn.title);
  drawHeader(path);
  footer();
  if (isUpdate) {
    if (hadFocus) main.querySelector('h1')?.focus();
    return;
  }
  window.scrollTo(0, 0);
  main.querySelector('h1')?.focus({ preventScroll: true });
};

const drawHeader = (path = place().path) => header(path, setLanguage);

const setLanguage = async (code) => {
  choose(code);
  drawFrame();
  await show({ isUpdate: true });
  document.querySelector(`[data-language="${code}"]`)?.focus();
  announce(t('languageChosen'));
};

const drawFrame = () => {
  useLanguage(language());
  document.documentElement.lang = language();
  document.querySelector('[data-skip]').textContent = t('skip');
  drawHeader();
  footer();
};

let wasExpired = false;

onChange(() => {
  drawHeader();
  if (visitor.cartExpired && !wasExpired) {
    const { path } = place();
    if (path === '/cart' || path === '/checkout') void show();
    else notice('error', t('cartExpiredNotice'));
  }
  wasExpired = visitor.cartExpired;
});

onLoss(() => notice('error', errorText('session_invalid')));

document.querySelector('[data-skip]').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

window.addEventListener('hashchange', () => {
  clearNotices();
  void show();
});

drawFrame();
main.setAttribute('aria-busy', 'true');
clearTimeout(announceIfSlow());
await restore().catch((error) => {
  if (!(error instanceof Refusal) || error.status !== 401) showError(error);
});
startCountdown();
await show({ isUpdate: true });
