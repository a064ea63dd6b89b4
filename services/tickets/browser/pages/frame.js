// What the pages have in common: title, language, sign-out.
import { ask, button, h } from '../dom.js';
import { choose, language, languages, t } from '../texts/index.js';

/** Puts a page in place of the one before: its heading gets the focus. */
export function show(...content) {
  const main = document.querySelector('main');
  document.documentElement.lang = language();
  document.title = t('title');
  main.replaceChildren(...content);
  main.querySelector('h1')?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

export function heading(text) {
  return h('h1', { tabindex: '-1' }, text);
}

/** A message that screen readers read at once. */
export function message(text, more = {}) {
  return h('p', { role: 'status', class: 'message', ...more }, text);
}

/** The choice of the language; `redraw` draws the page again. */
export function languageChoice(redraw) {
  const change = ({ target }) => {
    choose(target.value);
    redraw();
    document.querySelector('[data-language]')?.focus();
  };
  const options = languages.map(([code, name]) =>
    h('option', { value: code, lang: code, selected: code === language() }, name),
  );
  const select = h('select', { 'data-language': '', onchange: change }, options);
  return h('label', { class: 'language' }, h('span', null, t('language')), select);
}

/** Asks, and signs out with all that the phone has kept. */
export async function signOut({ signIn, evening, open }) {
  await evening.queue.flush().catch(() => undefined);
  const count = evening.queue.pending();
  const content = [
    h('p', null, t('signOutText')),
    count > 0 && h('p', { class: 'warning' }, t('signOutLoses', { count })),
  ];
  const buttons = [button({ type: 'submit', value: 'yes', class: 'strong' }, null, t('signOut')), cancelButton()];
  if ((await ask(t('signOutTitle'), content, buttons)) !== 'yes') return;
  await evening.forget();
  await signIn.signOut();
  open('start');
}

export function cancelButton() {
  return button({ type: 'submit', value: '', formnovalidate: true }, null, t('cancel'));
}
