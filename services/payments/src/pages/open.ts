import { deriveId, settleWithin } from '@boxoffice/runtime';
import { type Change, insertUnlessTaken, type New, UniqueViolation } from '@boxoffice/store';
import type { Static } from 'typebox';
import { connectWith, type PaymentsContext } from '../context.ts';
import type { ProviderAmount } from '../domain/amount.ts';
import {
  abandon,
  computeEnds,
  computeExpiry,
  computeNextAsk,
  isOpen,
  isPending,
  mayRepeatUnchanged,
} from '../domain/payment.ts';
import { findKeys, hasSameSecret } from '../keys/keys.ts';
import { type OpenedPage as AnsweredPage, type Provider, ProviderFault } from '../provider/port.ts';
import { isBelowMinimum, toProviderAmount } from '../provider/units.ts';
import type { PaymentDocument, ProviderDocument } from '../store.ts';
import { closeNow } from './close.ts';
import type { NewPage, OpenedPage } from './schemas.ts';

type Asked = Static<typeof NewPage>;
type Outcome = Static<typeof OpenedPage>;

/** Until then the caller gets an answer; the provider's may come later. Milliseconds. */
const ANSWER_MS = 4_500;

/** Pages of one order that are open at once, and all together. */
const MOST_OPEN = 3;
const MOST_PAGES = 40;

/** What the provider is sent is stored before, so that a repeat is the same request under the same key. */
export async function openPage(context: PaymentsContext, institution: string, asked: Asked): Promise<Outcome> {
  const found = await findOrInsert(context, institution, asked);
  if ('outcome' in found) return count(context, found);
  const { payment, keys, provider } = found;
  if (payment.state === 'pending') return count(context, showOpened(payment, context.now()));
  const sent = send(context, payment, { keys, provider }, asked.email ?? null);
  const opening = asked.replaces ? sent.then((answer) => keepNewest(context, payment, answer)) : sent;
  opening.catch((error: unknown) =>
    context.log.warn('a payment page could not be opened', { institution, order: asked.orderId, error }),
  );
  return count(context, await settleWithin(opening, ANSWER_MS, () => UNAVAILABLE));
}

const UNAVAILABLE: Outcome = { outcome: 'unavailable', page: null };
const TOO_SMALL: Outcome = { outcome: 'amount_too_small', page: null };
const NO_MORE: Outcome = { outcome: 'payable_no_more', page: null };

const count = ({ metrics }: PaymentsContext, answer: Outcome): Outcome => {
  if (answer.outcome !== 'payable_no_more') metrics.countPayment(answer.outcome);
  return answer;
};

const showOpened = (payment: PaymentDocument, now: number): Outcome => {
  const { id: paymentId, provider, mode, reference, url, amount, currency, until } = payment;
  const expiry = computeExpiry(payment);
  if (reference === null || url === null || now >= expiry) return NO_MORE;
  const ends = { expiresAt: new Date(expiry).toISOString(), until: new Date(until).toISOString() };
  return { outcome: 'opened', page: { paymentId, provider, mode, reference, url, amount, currency, ...ends } };
};

interface Connected {
  readonly keys: ProviderDocument;
  readonly provider: Provider;
}

type Found = Connected & { readonly payment: PaymentDocument };

const findOrInsert = async (context: PaymentsContext, institution: string, asked: Asked): Promise<Outcome | Found> => {
  const payments = context.payments.of(institution);
  const keys = await findKeys(context, institution, asked.provider);
  if (!keys) return UNAVAILABLE;
  const connected = { keys, provider: await connectWith(context, keys) };
  const id = deriveId('pay', asked.orderId, asked.requestId);
  const known = await payments.get(id);
  const isOff = keys.state !== 'active' || (keys.mode === 'simulated' && !context.maySimulate());
  if (isOff && known?.state !== 'pending') return UNAVAILABLE;
  if (known) return judgeRepeat(known, asked, keys) ?? { payment: known, ...connected };
  const amount = toProviderAmount(asked.amount, asked.currency);
  if (!amount) return UNAVAILABLE;
  if (isBelowMinimum(amount)) return TOO_SMALL;
  const refusal = await replaceOthers(context, institution, asked, id);
  if (refusal) return refusal;
  const payment = createPayment(context, { id, institution, asked, keys, amount });
  const made = await insertUnlessTaken(payments, payment, { due: { ask: payment.endsAt } });
  if (made) return { payment: made, ...connected };
  const other = await payments.get(id);
  if (!other) throw new UniqueViolation('id');
  return judgeRepeat(other, asked, keys) ?? { payment: other, ...connected };
};

/** Undefined where the page is, or can be, the one that is asked for. */
const judgeRepeat = (
  known: PaymentDocument,
  { amount, currency }: Asked,
  { mode }: ProviderDocument,
): Outcome | undefined =>
  isPending(known) && known.amount === amount && known.currency === currency && known.mode === mode
    ? undefined
    : NO_MORE;

/** The newest first. */
const findPages = ({ payments }: PaymentsContext, institution: string, orderId: string): Promise<PaymentDocument[]> =>
  payments
    .of(institution)
    .find({ where: { orderId }, orderBy: 'createdAt', descending: true, limit: MOST_PAGES, index: 'order' });

/** Another try closes the pages before it; without one a few may be open beside each other. */
const replaceOthers = async (
  context: PaymentsContext,
  institution: string,
  { orderId, replaces }: Asked,
  own: string,
): Promise<Outcome | undefined> => {
  const all = await findPages(context, institution, orderId);
  if (all.length >= MOST_PAGES) return UNAVAILABLE;
  // A repeat at the same time may have begun its own.
  const others = all.filter((one) => one.id !== own);
  const now = context.now();
  if (!replaces && others.filter((one) => isOpen(one, now)).length >= MOST_OPEN) return UNAVAILABLE;
  return replaces ? closeAll(context, others.filter(isPending)) : undefined;
};

const closeAll = async (context: PaymentsContext, pages: readonly PaymentDocument[]): Promise<Outcome | undefined> => {
  for (const one of pages) {
    const closed = await settleWithin(closeNow(context, one), ANSWER_MS, () => one).catch(() => one);
    if (closed.state === 'captured') return NO_MORE;
    if (isPending(closed)) return UNAVAILABLE;
  }
  return undefined;
};

/** Of tries at the same time, which have not seen each other, the newest one's page stays open. */
const keepNewest = async (context: PaymentsContext, { institution, id, orderId }: PaymentDocument, answer: Outcome) => {
  if (answer.page === null) return answer;
  const open = (await findPages(context, institution, orderId)).filter(isPending);
  const own = open.find((one) => one.id === id);
  // A later try has closed it meanwhile.
  if (!own) return UNAVAILABLE;
  const others = open.filter((one) => one !== own);
  const isNewer = (other: PaymentDocument) =>
    other.createdAt > own.createdAt || (other.createdAt === own.createdAt && other.id > own.id);
  if (!others.some(isNewer)) return (await closeAll(context, others)) ?? answer;
  await closeAll(context, [own]);
  return UNAVAILABLE;
};

interface NewPayment {
  readonly id: string;
  readonly institution: string;
  readonly asked: Asked;
  readonly keys: ProviderDocument;
  readonly amount: ProviderAmount;
}

const createPayment = (
  { graceMs, now: clock }: PaymentsContext,
  { id, institution, asked, keys, amount: expressed }: NewPayment,
): New<PaymentDocument> => {
  const now = clock();
  const { orderId, provider, pointOfSale, amount, currency, number, language, returnUrl } = asked;
  const { until, endsAt } = computeEnds(graceMs, now);
  return {
    id,
    orderId,
    provider,
    mode: keys.mode ?? 'test',
    pointOfSale,
    amount,
    currency,
    state: 'opening',
    request: {
      ...expressed,
      paymentId: id,
      orderId,
      institution,
      number,
      methods: keys.methods,
      language: language ?? null,
      returnUrl,
      endsAtSeconds: endsAt / 1_000,
    },
    attempt: 1,
    sentAt: now,
    reference: null,
    url: null,
    endsAt,
    until,
    charge: null,
    dispute: null,
    reported: true,
    lookedAt: null,
    createdAt: now,
    finalAt: null,
    abandonedAt: null,
  };
};

/** The page's address is known to no buyer before this answers, so a page whose answer is lost cannot be paid. */
const send = async (
  context: PaymentsContext,
  found: PaymentDocument,
  connected: Connected,
  email: string | null,
): Promise<Outcome> => {
  const payment = mayRepeatUnchanged(found, context.now()) ? found : await beginAnew(context, found);
  if (payment.state !== 'opening') return showOpened(payment, context.now());
  try {
    const page = await connected.provider.openPage(payment.request, email, `${payment.id}.${payment.attempt}`);
    if (!(await isStillOf(context, payment, connected))) return UNAVAILABLE;
    const opened = await recordOpened(context, payment, page);
    // Another try has come first.
    return opened.state === 'pending' ? showOpened(opened, context.now()) : UNAVAILABLE;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { refusal, code } = error;
    context.log.warn('the payment provider has opened no page', {
      institution: payment.institution,
      order: payment.orderId,
      reason: refusal,
      ...(code !== null && { code }),
    });
    if (refusal === 'key_reused') return send(context, await beginAnew(context, payment), connected, email);
    // The address of the buyer may be what it does not take, and he can write it on the page.
    if (refusal === 'refused' && email !== null)
      return send(context, await beginAnew(context, payment), connected, null);
    if (refusal !== 'unanswered' && refusal !== 'busy') await abandonOpening(context, payment);
    return refusal === 'amount_too_small' ? TOO_SMALL : UNAVAILABLE;
  }
};

/** While this attempt is the newest, and has no page. */
const updateOpening = async (
  { payments }: PaymentsContext,
  { institution, id, attempt }: PaymentDocument,
  change: (current: PaymentDocument) => Change<PaymentDocument>,
): Promise<PaymentDocument> => {
  const updated = await payments
    .of(institution)
    .update(id, (current) =>
      current.state === 'opening' && current.attempt === attempt ? change(current) : undefined,
    );
  if (!updated) throw new Error('a payment page is gone');
  return updated;
};

/** Under the next attempt's key, with ends that the provider still takes. */
const beginAnew = (context: PaymentsContext, payment: PaymentDocument): Promise<PaymentDocument> => {
  const now = context.now();
  const { until, endsAt } = computeEnds(context.graceMs, now);
  return updateOpening(context, payment, (current) => {
    const request = { ...current.request, endsAtSeconds: endsAt / 1_000 };
    const next = { ...current, request, attempt: current.attempt + 1, sentAt: now, createdAt: now, endsAt, until };
    return { next, due: { ask: endsAt } };
  });
};

/** A page of keys that were replaced meanwhile could not be read any more: its address is not answered. */
const isStillOf = async (context: PaymentsContext, payment: PaymentDocument, { keys }: Connected): Promise<boolean> => {
  const { institution, provider, orderId: order } = payment;
  const current = await findKeys(context, institution, provider);
  if (current && hasSameSecret(context, keys, current)) return true;
  await abandonOpening(context, payment);
  context.log.warn('a payment page was opened with keys that were replaced meanwhile', { institution, order });
  return false;
};

const recordOpened = (context: PaymentsContext, payment: PaymentDocument, { reference, url }: AnsweredPage) =>
  updateOpening(context, payment, (current) => {
    const next = { ...current, state: 'pending' as const, reference, url };
    return { next, due: { ask: computeNextAsk(next, context.now()), close: computeExpiry(next) } };
  });

const abandonOpening = (context: PaymentsContext, payment: PaymentDocument) =>
  updateOpening(context, payment, (current) => ({
    next: abandon(current, context.now()),
    due: { ask: null, close: null },
  }));
