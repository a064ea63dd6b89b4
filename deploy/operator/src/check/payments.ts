import type { OrderDocument } from '@boxoffice/orders';
import type { PaymentDocument, RefundDocument } from '@boxoffice/payments';
import { type Case, createCase, type Finding, findBrokenRules } from './findings.ts';
import { type CheckedCollections, findById } from './reading.ts';

/** What the provider has answered, against what orders has recorded: neither is asked. */
export async function judgeProviderPayments(
  collections: CheckedCollections,
  found: readonly PaymentDocument[],
): Promise<Case[]> {
  const orders = await findById(collections.orders, listOwners(found));
  const returned = await readMismatchRefunds(collections, found);
  return found.map((payment) => {
    const order = orders.get(payment.orderId);
    const refund = returned.get(payment.id);
    const findings = [...comparePayment(payment, order), ...findMismatch(payment, refund)];
    const read = [order, refund].filter((one) => one !== undefined);
    return createCase('provider_payment', payment, findings, read, [payment.orderId]);
  });
}

/** By payment: of money that sold nothing. */
const readMismatchRefunds = async (
  { providerRefunds }: CheckedCollections,
  found: readonly PaymentDocument[],
): Promise<ReadonlyMap<string, RefundDocument>> => {
  const mismatches = found.filter(({ mismatch }) => mismatch);
  const refunds = await Promise.all(
    mismatches.map(({ id, institution }) => providerRefunds.of(institution).find({ where: { paymentId: id } })),
  );
  const returned = refunds.flat().filter(({ purpose }) => purpose === 'mismatch');
  return new Map(returned.map((one) => [one.paymentId, one]));
};

export async function judgeProviderRefunds(
  collections: CheckedCollections,
  found: readonly RefundDocument[],
): Promise<Case[]> {
  const orders = await findById(collections.orders, listOwners(found));
  return found.map((refund) => {
    const order = orders.get(refund.orderId);
    return createCase('provider_refund', refund, compareRefund(refund, order), order ? [order] : [], [refund.orderId]);
  });
}

const listOwners = (records: readonly { readonly orderId: string }[]): string[] =>
  records.map(({ orderId }) => orderId);

const comparePayment = (payment: PaymentDocument, order: OrderDocument | undefined): Finding[] => {
  const { id, orderId, state, amount, currency, reference, mode, dispute } = payment;
  const recorded = order?.payments.find((one) => one.id === id);
  const isCaptured = state === 'captured';
  const isSame =
    recorded?.amount === amount &&
    recorded.currency === currency &&
    recorded.reference === reference &&
    recorded.mode === mode;
  const broken = findBrokenRules('provider_payment', id, `payment ${id} of ${orderId} (${reference}, ${state})`, [
    [!isCaptured || recorded?.status === 'captured', 'is not captured in its order', orderId],
    [isCaptured || recorded?.status !== 'captured', 'is captured in its order', orderId],
    [!isCaptured || recorded === undefined || isSame, 'has other figures in its order', orderId],
    [
      !isCaptured || recorded === undefined || (recorded.disputed?.state ?? null) === (dispute?.state ?? null),
      `is in dispute: ${dispute?.state ?? 'no'}; in its order: ${recorded?.disputed?.state ?? 'no'}`,
      orderId,
    ],
  ]);
  return broken.map((finding) => ({ ...finding, underWay: !payment.reported || isDueSoon(payment) }));
};

/** Somebody has to see why it came, and that it has gone back. */
const findMismatch = (payment: PaymentDocument, refund: RefundDocument | undefined): Finding[] => {
  const { id, orderId, reference, mismatch, amount, currency } = payment;
  if (!mismatch || isSettled(mismatch, refund)) return [];
  const came = `${mismatch.amount} ${mismatch.currency} (in the provider’s unit) came instead of ${amount} ${currency}`;
  const text = `order ${orderId}, session ${reference}: ${came}, ${describeReturn(refund)}; operator payments acknowledge ${reference}`;
  return [{ invariant: 'payment_mismatch', offenders: [id, orderId, reference ?? ''], text }];
};

/** Acknowledged, unless its refund has failed since then. */
const isSettled = (
  { acknowledgedAt }: NonNullable<PaymentDocument['mismatch']>,
  refund: RefundDocument | undefined,
): boolean => {
  if (acknowledgedAt === null) return false;
  return refund?.state !== 'failed' || (refund.finalAt ?? 0) <= Date.parse(acknowledgedAt);
};

const describeReturn = (refund: RefundDocument | undefined): string => {
  if (!refund) return 'and its refund has not started';
  const name = refund.reference ?? refund.id;
  if (refund.state === 'failed') return `and its refund ${name} has failed: give the money back at the provider`;
  return refund.state === 'done' ? `and was refunded (${name})` : `and its refund ${name} is pending`;
};

const compareRefund = (refund: RefundDocument, order: OrderDocument | undefined): Finding[] => {
  const { id, orderId, purpose, state, amount, paymentId, reference } = refund;
  if (purpose !== 'order') return [];
  const recorded = order?.refunds.find((one) => one.id === id);
  const broken = findBrokenRules('provider_refund', id, `refund ${id} of ${orderId} (${reference}, ${state})`, [
    [recorded !== undefined, 'is not in its order', orderId],
    [
      recorded === undefined || (recorded.status ?? 'done') === state,
      `is ${recorded?.status ?? 'done'} in its order`,
      orderId,
    ],
    [
      recorded === undefined || (recorded.amount === amount && recorded.paymentId === paymentId),
      'has other figures in its order',
      orderId,
    ],
  ]);
  return broken.map((finding) => ({ ...finding, underWay: !refund.reported || isDueSoon(refund) }));
};

const SOON_MS = 60_000;

/** Work of these seconds may correct it. */
const isDueSoon = ({ due = {} }: PaymentDocument | RefundDocument): boolean =>
  Object.values(due).some(({ at, since }) => at <= Date.now() + SOON_MS && since <= Date.now() + SOON_MS);

export type ProviderRecords = Awaited<ReturnType<typeof readProviderRecords>>;

export async function readProviderRecords(collections: CheckedCollections, orders: readonly OrderDocument[]) {
  const ids = (records: readonly { readonly id: string; readonly provider?: string }[]) =>
    records.flatMap(({ id, provider }) => (provider === undefined ? [] : [id]));
  return {
    payments: await findById(
      collections.providerPayments,
      orders.flatMap(({ payments }) => ids(payments)),
    ),
    refunds: await findById(
      collections.providerRefunds,
      orders.flatMap(({ refunds }) => ids(refunds)),
    ),
  };
}

export function findUnknownRecords(
  { id: orderId, payments, refunds }: OrderDocument,
  known: ProviderRecords,
): Finding[] {
  const lost = refunds.filter(({ id, provider }) => provider !== undefined && !known.refunds.has(id));
  return [
    ...payments
      .filter(({ id, provider }) => provider !== undefined && !known.payments.has(id))
      .map(({ id }): Finding => {
        const text = `payment ${id} of ${orderId} is of a provider, and payments does not have it`;
        return { invariant: 'provider_payment', offenders: [id, orderId], text };
      }),
    ...lost.map(({ id }): Finding => {
      const text = `refund ${id} of ${orderId} is of a provider, and payments does not have it`;
      return { invariant: 'provider_refund', offenders: [id, orderId], text };
    }),
  ];
}
