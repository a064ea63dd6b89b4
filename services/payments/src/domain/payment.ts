// A page of the provider and the payment that it is for: what is read there decides what is recorded here.

import type { ProviderAmount } from './amount.ts';
import type { Mode, ProviderName } from './keys.ts';

/** Stored as it is and sent again unchanged, but for the buyer's address, which is not stored. */
export interface PageRequest extends ProviderAmount {
  readonly paymentId: string;
  readonly orderId: string;
  readonly institution: string;
  readonly number: string;
  readonly methods: readonly string[];
  readonly language: string | null;
  /** Empty once the payment is final. */
  readonly returnUrl: string;
  /** When the page ends by itself. Epoch seconds. */
  readonly endsAtSeconds: number;
}

/** Money was taken back: an inquiry is none. An open one, else the newest. Amounts are in the provider's unit. */
export interface Dispute extends ProviderAmount {
  readonly state: 'open' | 'won' | 'lost';
  readonly reason: string;
  /** What all disputes of the payment together have taken for good. */
  readonly lost: number;
  /** It was in another currency than the payment, whose amount is used. */
  readonly isConverted: boolean;
}

/** With when it was found in this state, ISO 8601 UTC. */
export interface FoundDispute extends Dispute {
  readonly at: string;
}

/** `unpaid`: completed, and not decided yet. `failed`: completed, and it will not be paid any more. */
export type PageState = 'open' | 'unpaid' | 'paid' | 'failed' | 'expired';

export interface ReadPage {
  readonly reference: string;
  readonly state: PageState;
  /** What was paid where it is paid, else what the page asks for. */
  readonly total: ProviderAmount;
  readonly isLive: boolean;
  /** By which a refund names the payment; null before there is one. */
  readonly charge: string | null;
  readonly dispute: Dispute | null;
}

/** `opening`: before the provider has answered with a page, it cannot be paid. `failed` also: the money was wrong. */
export type PaymentState = 'opening' | 'pending' | 'captured' | 'failed' | 'expired';

export interface Mismatch extends ProviderAmount {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly acknowledgedAt: string | null;
}

/** Instants are epoch milliseconds. No personal data. */
export interface Payment {
  readonly id: string;
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly mode: Mode;
  readonly pointOfSale: string;
  /** Minor units of ISO 4217. */
  readonly amount: number;
  readonly currency: string;
  readonly state: PaymentState;
  /** Sent under the key of this attempt. */
  readonly request: PageRequest;
  readonly attempt: number;
  readonly sentAt: number;
  /** The provider's id of the page; null until it is open. */
  readonly reference: string | null;
  readonly url: string | null;
  /** When the page ends by itself. */
  readonly endsAt: number;
  /** When the order's grace period ends. */
  readonly until: number;
  /** The page is completed, and nobody can pay there any more; the bank decides. */
  readonly undecided?: true;
  readonly charge: string | null;
  readonly dispute: FoundDispute | null;
  /** Orders has this state. */
  readonly reported: boolean;
  readonly mismatch?: Mismatch;
  /** The last look that a buyer caused. */
  readonly lookedAt: number | null;
  readonly createdAt: number;
  /** Null while it can still be paid. */
  readonly finalAt: number | null;
  /** `finalAt` of a page that was never open. */
  readonly abandonedAt: number | null;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The provider's pages live at least 30 minutes; two more for the request and for closing it. */
const SHORTEST_GRACE_MS = 32 * MINUTE_MS;
const LONGEST_GRACE_MS = DAY_MS;

/** The page ends by itself so long before the grace period, and is closed so long before that. */
const MARGIN_MS = 30 * SECOND_MS;
export const CLOSING_MS = 60 * SECOND_MS;

/** The end of the order's grace period, and of the page just before it. */
export function computeEnds(graceMs: number, now: number): { readonly until: number; readonly endsAt: number } {
  const until = now + Math.min(Math.max(graceMs, SHORTEST_GRACE_MS), LONGEST_GRACE_MS);
  // Whole seconds at the provider.
  return { until, endsAt: Math.floor((until - MARGIN_MS) / SECOND_MS) * SECOND_MS };
}

/** Until when the buyer is told that he can pay. */
export function computeExpiry({ endsAt }: Pick<Payment, 'endsAt'>): number {
  return endsAt - CLOSING_MS;
}

/** A repeat within this time is sent unchanged; later the provider would refuse the page's end as too soon. */
const UNCHANGED_MS = 45 * SECOND_MS;

export function mayRepeatUnchanged({ sentAt }: Pick<Payment, 'sentAt'>, now: number): boolean {
  return now - sentAt < UNCHANGED_MS;
}

/** Longer than a request to the provider takes. */
const SENDING_MS = 15 * SECOND_MS;

/** Somebody has its address, or gets it from a request that is on its way; of an answer that was lost nobody has it. */
export function isOpen({ state, sentAt }: Pick<Payment, 'state' | 'sentAt'>, now: number): boolean {
  return state === 'pending' || (state === 'opening' && now - sentAt < SENDING_MS);
}

/** The provider may answer with a page that is of the keys of then. */
export function isUnderWay({ state, sentAt }: Pick<Payment, 'state' | 'sentAt'>, now: number): boolean {
  return state === 'opening' && now - sentAt < UNCHANGED_MS + SENDING_MS;
}

/** After the page was opened; then at its end, then hourly. */
const ASKED_AFTER_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/** After the capture, for a dispute whose webhook was lost; most are opened within these 120 days. */
const CAPTURED_ASKED_AFTER_MS = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS, 120 * DAY_MS];

/** When the provider is asked next; null: never again. */
export function computeNextAsk(payment: Payment, now: number): number | null {
  const { state, createdAt, endsAt, finalAt, reported } = payment;
  if (state === 'opening') return endsAt;
  if (state === 'pending') {
    const planned = [...ASKED_AFTER_MS.map((ms) => createdAt + ms).filter((at) => at < endsAt), endsAt + SECOND_MS];
    return planned.find((at) => at > now) ?? now + HOUR_MS;
  }
  if (!reported) return now;
  if (state !== 'captured' || finalAt === null) return null;
  const planned = CAPTURED_ASKED_AFTER_MS.map((ms) => finalAt + ms).find((at) => at > now) ?? null;
  if (payment.dispute?.state !== 'open') return planned;
  return Math.min(planned ?? Number.POSITIVE_INFINITY, now + WEEK_MS);
}

export function isSameDispute(one: Dispute | null, other: Dispute | null): boolean {
  return one?.state === other?.state && one?.amount === other?.amount && one?.lost === other?.lost;
}

/** What a page that was read makes of its payment; the same object where nothing has changed. */
export function applyPage<T extends Payment>(payment: T, page: ReadPage, now: number): T {
  const withDispute = applyDispute(payment, page, now);
  if (payment.state !== 'pending') return withDispute;
  const charged = page.charge === payment.charge ? withDispute : { ...withDispute, charge: page.charge };
  switch (page.state) {
    case 'open':
      return charged;
    case 'unpaid':
      return charged.undecided ? charged : { ...charged, undecided: true };
    case 'paid':
      return isExpected(payment, page.total) ? end(charged, 'captured', now) : endMismatched(charged, page.total, now);
    case 'failed':
      return end(charged, 'failed', now);
    case 'expired':
      return end(charged, 'expired', now);
  }
}

const isExpected = ({ request }: Payment, { amount, currency }: ProviderAmount): boolean =>
  amount === request.amount && currency === request.currency;

const end = <T extends Payment>(payment: T, state: PaymentState, now: number): T => ({
  ...forgetReturn(payment),
  state,
  reported: false,
  finalAt: now,
});

const forgetReturn = <T extends Payment>(payment: T): T => ({
  ...payment,
  request: { ...payment.request, returnUrl: '' },
});

const endMismatched = <T extends Payment>(payment: T, { amount, currency }: ProviderAmount, now: number): T => ({
  ...end(payment, 'failed', now),
  mismatch: { amount, currency, at: new Date(now).toISOString(), acknowledgedAt: null },
});

const applyDispute = <T extends Payment>(payment: T, { dispute }: ReadPage, now: number): T => {
  if (dispute === null || isSameDispute(dispute, payment.dispute)) return payment;
  return { ...payment, dispute: { ...dispute, at: new Date(now).toISOString() }, reported: false };
};

/** Of a page that never opened: its address is known to no buyer, so it cannot be paid. */
export function abandon<T extends Payment>(payment: T, now: number): T {
  if (payment.state !== 'opening') return payment;
  return { ...forgetReturn(payment), state: 'failed', finalAt: now, abandonedAt: now };
}

export function toShownState({ state }: Pick<Payment, 'state'>): Exclude<PaymentState, 'opening'> {
  return state === 'opening' ? 'pending' : state;
}

/** A page that is open, or will be if a request that has no answer yet arrives. */
export function isPending({ state }: Pick<Payment, 'state'>): boolean {
  return state === 'opening' || state === 'pending';
}
