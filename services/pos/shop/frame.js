import { timeLeft } from './countdown.js';
import { h, screenReaderText, svg } from './dom.js';
import { clock } from './format.js';
import { institution, institutionName } from './institutions.js';
import { cartItems, visitor } from './state.js';
import { language, languages, t } from './texts/index.js';

/** The address of a page of the shop, from its path, such as `/cart`. */
export const link = (path) => `#${path}`;

/** Shows the page of a path. */
export const go = (path) => {
  location.hash = link(path);
};

const mark = () =>
  svg(
    'svg',
    { viewBox: '0 0 32 24', class: 'mark', 'aria-hidden': 'true' },
    svg(
      'g',
      { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6, 'stroke-linecap': 'round' },
      svg('path', { d: 'M2 22a14 14 0 0 1 28 0' }),
      svg('path', { d: 'M7 22a9 9 0 0 1 18 0' }),
      svg('path', { d: 'M12 22a4 4 0 0 1 8 0' }),
    ),
  );

const LANGUAGE_NAMES = { fr: 'Français', en: 'English', de: 'Deutsch' };

const languageButtons = (onLanguage) =>
  h(
    'div',
    { class: 'languages', role: 'group', 'aria-label': t('language') },
    languages.map((code) =>
      h(
        'button',
        {
          type: 'button',
          lang: code,
          'data-language': code,
          'aria-pressed': `${code === language()}`,
          onclick: () => onLanguage(code),
        },
        h('span', { 'aria-hidden': 'true' }, code.toUpperCase()),
        screenReaderText(LANGUAGE_NAMES[code]),
      ),
    ),
  );

const navigationLink = (href, here, text) => h('a', { href, 'aria-current': here && 'page' }, text);

const cartLink = (path) => {
  const count = cartItems().length;
  return h(
    'a',
    { href: '#/cart', class: 'cart-link', 'aria-current': path === '/cart' && 'page' },
    svg(
      'svg',
      { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' },
      svg('path', {
        d: 'M3 8.5V6h18v2.5a3.5 3.5 0 0 0 0 7V18H3v-2.5a3.5 3.5 0 0 0 0-7ZM14.5 6v12',
        fill: 'none',
        stroke: 'currentColor',
        'stroke-width': 1.5,
        'stroke-linejoin': 'round',
        'stroke-dasharray': '0',
      }),
    ),
    h('span', { class: 'cart-word' }, t('cart')),
    count > 0 && h('span', { class: 'cart-count', 'aria-hidden': 'true' }, count),
    count > 0 && screenReaderText(t('placesInCart', { count })),
    // Changes every second: hidden from screen readers.
    count > 0 && h('span', { class: 'cart-clock', 'aria-hidden': 'true', 'data-clock': true }, clock(timeLeft())),
  );
};

/** A selector that finds the focused control again after it is redrawn. */
const focusedIn = (place) => {
  const focused = document.activeElement;
  if (!place.contains(focused)) return undefined;
  const code = focused.getAttribute('data-language');
  return code ? `[data-language="${code}"]` : `a[href="${focused.getAttribute('href')}"]`;
};

const name = () => institutionName() ?? t('ticketOffice');

/** Draws the header: institution, navigation, languages, cart. */
export const header = (path, onLanguage) => {
  const place = document.querySelector('.frame-header');
  const focused = focusedIn(place);
  place.replaceChildren(
    h(
      'div',
      { class: 'wrap bar' },
      h('a', { class: 'brand', href: '#/' }, mark(), h('span', {}, name())),
      h(
        'nav',
        { 'aria-label': t('mainNavigation') },
        navigationLink('#/', path === '/', t('programme')),
        navigationLink('#/account', path === '/account', visitor.contact ? t('myTickets') : t('logInLink')),
      ),
      languageButtons(onLanguage),
      cartLink(path),
    ),
  );
  if (focused) place.querySelector(focused)?.focus();
};

/** Sets the title of the window. */
export const setTitle = (title) => {
  document.title = `${title} · ${name()}`;
};

/** Draws the footer. */
export const footer = () => {
  document
    .querySelector('.frame-footer')
    .replaceChildren(
      h(
        'div',
        { class: 'wrap' },
        h('p', { class: 'foot-name' }, name(), institution.city && h('span', {}, institution.city)),
        h('p', { class: 'small' }, t('demoFooter')),
      ),
    );
};
