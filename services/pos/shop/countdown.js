import { announce } from './notices.js';
import { loadCart, timeLeft, visitor } from './state.js';
import { clock, t } from './texts/index.js';

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
export const startCountdown = () => {
  if (!isRunning) setInterval(tick, 500);
  isRunning = true;
};
