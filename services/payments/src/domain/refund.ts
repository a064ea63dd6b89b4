// A refund at the provider: made once, whatever dies in between.

import type { ProviderAmount } from './amount.ts';
import type { ProviderName } from './keys.ts';

export interface RefundRequest extends ProviderAmount {
  readonly refundId: string;
  readonly paymentId: string;
  readonly orderId: string;
  readonly institution: string;
  readonly charge: string;
}

export interface ProviderRefund {
  readonly reference: string;
  /** Ours; null for one that somebody made there. */
  readonly refundId: string | null;
  readonly status: RefundState;
}

export type RefundState = 'pending' | 'done' | 'failed';

/** `order`: asked for by an order, and reported to it. `mismatch`: of money that sold nothing. */
export type RefundPurpose = 'order' | 'mismatch';

/** Instants are epoch milliseconds. */
export interface Refund {
  readonly id: string;
  readonly orderId: string;
  readonly paymentId: string;
  readonly provider: ProviderName;
  readonly purpose: RefundPurpose;
  /** Minor units of ISO 4217; null of a mismatch, whose amount may not have any. */
  readonly amount: number | null;
  readonly currency: string;
  readonly state: RefundState;
  /** Stored before it is sent, and sent unchanged; null before the first time. */
  readonly request: RefundRequest | null;
  /** Sent under the key of this attempt; 0: never. */
  readonly attempt: number;
  readonly sentAt: number | null;
  /** When the next attempt may begin, since the provider repeats its answer for this key; null: it does not. */
  readonly renewedAt: number | null;
  readonly reference: string | null;
  /** Orders has this state. */
  readonly reported: boolean;
  readonly createdAt: number;
  readonly finalAt: number | null;
}

type NewRefund = Pick<Refund, 'id' | 'orderId' | 'paymentId' | 'provider' | 'purpose' | 'amount' | 'currency'>;

/** Orders, which asked for it, knows that it is pending. */
export function createRefund(asked: NewRefund, now: number): Refund {
  const unsent = { request: null, attempt: 0, sentAt: null, renewedAt: null, reference: null };
  return { ...asked, ...unsent, state: 'pending', reported: true, createdAt: now, finalAt: null };
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** The provider forgets a key after a day: a repeat so late could be a second refund. */
const KEY_MS = 22 * HOUR_MS;

/** What failed at the provider may be made there all the same, and later than it has answered. */
const RENEWED_AFTER_MS = 10 * 60_000;

/** Under its key, else the next attempt is sent: only once the refund was not found at the provider. */
export function mayRepeatAttempt({ attempt, sentAt, renewedAt }: Refund, now: number): boolean {
  if (attempt === 0 || sentAt === null) return false;
  return now - sentAt < KEY_MS && (renewedAt === null || now < renewedAt);
}

export function beginAttempt<T extends Refund>(refund: T, request: RefundRequest, now: number): T {
  return { ...refund, request, attempt: refund.attempt + 1, sentAt: now, renewedAt: null };
}

export function planRenewal<T extends Refund>(refund: T, now: number): T {
  return refund.renewedAt === null ? { ...refund, renewedAt: now + RENEWED_AFTER_MS } : refund;
}

/** As the provider has it; the same object where nothing has changed. A done one may fail later. */
export function applyRefund<T extends Refund>(refund: T, found: ProviderRefund, now: number): T {
  const { reference, status } = found;
  if (refund.reference === reference && refund.state === status) return refund;
  return { ...refund, reference, state: status, reported: false, finalAt: status === 'pending' ? null : now };
}

export function failRefund<T extends Refund>(refund: T, now: number): T {
  return { ...refund, state: 'failed', reported: false, finalAt: now };
}

const PENDING_ASKED_EVERY_MS = HOUR_MS;

/** A bank may return a refund weeks later, and the webhook that says so may be lost. */
const DONE_ASKED_AFTER_MS = [DAY_MS, 5 * DAY_MS, 15 * DAY_MS, 30 * DAY_MS];

export function computeNextLook({ state, finalAt, reported }: Refund, now: number): number | null {
  if (!reported) return now;
  if (state === 'pending') return now + PENDING_ASKED_EVERY_MS;
  if (state !== 'done' || finalAt === null) return null;
  return DONE_ASKED_AFTER_MS.map((ms) => finalAt + ms).find((at) => at > now) ?? null;
}
