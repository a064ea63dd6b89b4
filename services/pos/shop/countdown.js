import { serverNow } from './api.js';
import { clock } from './format.js';
import { announce } from './notices.js';
import { loadCart, visitor } from './state.js';
import { t } from './texts/index.js';

const LAST_MS = 120_000;

/** Told once each to who cannot see the clock, in minutes. */
const TOLD = [10, 5, 2, 1];

let told = '';
let asked = '';

export const timeLeft = () => Date.parse(visitor.cart.expiresAt) - serverNow();

const tell = (left) => {
  const minutes = TOLD.findLast((one) => left <= one * 60_000);
  const key = `${visitor.cart.expiresAt} ${minutes}`;
  if (minutes === undefined || key === told) return;
  // A cart that begins between two of these times needs no word yet.
  if (told.startsWith(`${visitor.cart.expiresAt} `) || left > (minutes - 1) * 60_000)
    announce(t('minutesLeft', { count: minutes }));
  told = key;
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
  tell(left);
  // Only the server knows that the cart is over; it may have been given more time elsewhere.
  if (left <= 0 && asked !== expiresAt) {
    asked = expiresAt;
    setTimeout(() => loadCart().catch(() => undefined), 300);
  }
};

/** Keeps every `[data-clock]` of the page going. */
export const startCountdown = () => setInterval(tick, 500);
