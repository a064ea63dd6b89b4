import { Refusal } from './api.js';
import { h } from './dom.js';
import { errorText, t } from './texts/index.js';

/** A wait that “a moment” says already. */
const FEW_SECONDS = 3;

const region = () => document.querySelector('.notices');

/** Says something politely to who cannot see it. */
export const announce = (text) => {
  const announcer = document.querySelector('[data-announcer]');
  // The same text twice is not read twice.
  announcer.textContent = announcer.textContent === text ? `${text}\u00a0` : text;
};

/** What was said of one page is not said of the next. */
export const hush = () => {
  document.querySelector('[data-announcer]').textContent = '';
};

export const clearNotices = () => region().replaceChildren();

const closeNotice = () => {
  clearNotices();
  document.querySelector('main').focus();
};

/** Shows a notice on top of the page until the visitor goes on; `kind`: error or done. */
export const notice = (kind, text) => {
  const close = h(
    'button',
    { type: 'button', class: 'notice-close', 'aria-label': t('close'), onclick: closeNotice },
    '×',
  );
  region().replaceChildren(h('div', { class: `notice notice-${kind}` }, h('p', {}, text), close));
};

/** What an error means, in the visitor's words. What is no refusal is a mistake of ours and goes to the console. */
export const wordsOf = (error) => {
  if (!(error instanceof Refusal)) {
    console.error(error);
    return errorText('internal_error');
  }
  const also = error.userLoggedOut ? [t('alsoLoggedOut')] : [];
  const { retryAfter } = error;
  if (retryAfter > FEW_SECONDS) also.push(t('waitSeconds', { count: retryAfter }));
  // A failure that waiting mends says so.
  const code = error.status >= 500 && retryAfter > 0 ? 'try_later' : error.code;
  return [errorText(code), ...also].join(' ');
};

export const showError = (error) => notice('error', wordsOf(error));

/**
 * Runs an action of a button: once at a time, its error on top of the page. Answers whether it went well; undefined when it was running
 * already.
 */
export const act = async (button, action) => {
  if (button.getAttribute('aria-busy') === 'true') return undefined;
  button.setAttribute('aria-busy', 'true');
  clearNotices();
  try {
    await action();
    return true;
  } catch (error) {
    showError(error);
    return false;
  } finally {
    button.removeAttribute('aria-busy');
  }
};
