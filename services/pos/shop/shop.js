// The shop's entry: takes the visitor to the page that the address names. It uses the point-of-sale API and nothing else.
import { Refusal, speak } from './api.js';
import { startCountdown } from './countdown.js';
import { h } from './dom.js';
import { footer, header } from './frame.js';
import { house } from './houses.js';
import { announce, clearNotices, notice, showError, wordsOf } from './notices.js';
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

/** Where the visitor is: the part of the address after `#`. */
const place = () => {
  const [path, query = ''] = (location.hash.slice(1) || '/').split('?', 2);
  for (const [pattern, page] of pages) {
    const found = pattern.exec(path);
    if (found)
      return { page, parameters: found.slice(1).map(decodeURIComponent), query: new URLSearchParams(query), path };
  }
  return { page: undefined, parameters: [], query: new URLSearchParams(), path };
};

const failed = (error) => {
  const missing = !error || (error instanceof Refusal && error.status === 404);
  const again = h('button', { type: 'button', class: 'button', onclick: () => show() }, t('tryAgain'));
  const home = h('a', { class: 'button button-quiet', href: '#/' }, t('toProgramme'));
  return {
    title: missing ? t('notFoundTitle') : t('errorTitle'),
    node: h(
      'div',
      { class: 'wrap page-message' },
      h('h1', { tabindex: '-1' }, missing ? t('notFoundTitle') : t('errorTitle')),
      h('p', { class: 'lead' }, missing ? t('notFoundText') : wordsOf(error)),
      h('p', { class: 'buttons' }, missing ? home : [again, home]),
    ),
  };
};

let current = { leave: undefined };
let turn = 0;

/** Draws the page of the address. `keep`: the visitor stays where he is, only what is shown changes. */
const show = async ({ keep = false } = {}) => {
  turn += 1;
  const mine = turn;
  const { page, parameters, query, path } = place();
  main.setAttribute('aria-busy', 'true');
  const drawn = await (page ? page(parameters, query, { redraw: () => show({ keep: true }) }) : Promise.reject()).catch(
    failed,
  );
  if (mine !== turn) {
    drawn.leave?.();
    return;
  }
  current.leave?.();
  current = drawn;
  main.replaceChildren(drawn.node);
  main.removeAttribute('aria-busy');
  document.title = `${drawn.title} · ${house.name}`;
  drawHeader(path);
  if (keep) return;
  window.scrollTo(0, 0);
  main.querySelector('h1')?.focus({ preventScroll: true });
};

const drawHeader = (path = place().path) => header(path, setLanguage);

const setLanguage = async (code) => {
  choose(code);
  drawFrame();
  await show({ keep: true });
  document.querySelector(`[data-language="${code}"]`)?.focus();
  announce(t('languageChosen'));
};

const drawFrame = () => {
  speak(language());
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
await restore().catch((error) => {
  if (!(error instanceof Refusal) || error.status !== 401) showError(error);
});
startCountdown();
await show({ keep: true });
