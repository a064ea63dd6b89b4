import { Refusal } from './api.js';
import { h } from './dom.js';
import { errorText, t } from './texts/index.js';

/** A wait up to this many seconds is not announced in seconds. */
const FEW_SECONDS = 3;

/** Announces a text to screen readers, politely. */
export function announce(text) {
  const announcer = document.querySelector('[data-announcer]');
  // Screen readers do not repeat an unchanged text: a repetition gets a space.
  announcer.textContent = announcer.textContent === text ? `${text}\u00a0` : text;
}

/** Clears the announcement, for instance of the previous page. */
export function clearAnnouncement() {
  document.querySelector('[data-announcer]').textContent = '';
}

export function clearNotices() {
  return region().replaceChildren();
}

const region = () => document.querySelector('.notices');

/** Shows a notice at the top of the page until the visitor leaves it; `kind`: error or done; `more`: a way on. */
export function notice(kind, text, more) {
  const close = h(
    'button',
    { type: 'button', class: 'notice-close', 'aria-label': t('close'), onclick: closeNotice },
    '×',
  );
  region().replaceChildren(h('div', { class: `notice notice-${kind}` }, h('p', {}, text, more && [' ', more]), close));
}

const closeNotice = () => {
  clearNotices();
  document.querySelector('main').focus();
};

/** The message of an error for the visitor. An error other than a refusal is a bug and is logged to the console. */
export function wordsOf(error) {
  if (!(error instanceof Refusal)) {
    console.error(error);
    return errorText('internal_error');
  }
  const also = error.userLoggedOut ? [t('alsoLoggedOut')] : [];
  if (error.about) also.push(t('refusedItem', { item: error.about }));
  if (error.isUnsure) also.push(t('perhapsAdded'));
  const { retryAfter } = error;
  if (retryAfter > FEW_SECONDS) also.push(t('waitSeconds', { count: retryAfter }));
  // A temporary failure has its own message.
  const code = error.status >= 500 && retryAfter > 0 ? 'try_later' : error.code;
  return [errorText(code), ...also].join(' ');
}

export function showError(error) {
  return notice('error', wordsOf(error));
}

/**
 * Runs the action of a button, once at a time, and shows its error at the top of the page. Returns whether it
 * succeeded; undefined if it was running already.
 */
export async function act(button, action) {
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
}
