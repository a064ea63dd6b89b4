// commerce 3.2: `operator check` names order and session and ends with 1 until `operator payments acknowledge SESSION` | deploy/operator/src/check/payments.ts
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { judgeProviderPayments } from '../../src/check/payments.ts';
import { type CheckedStores, openCollections } from '../../src/check/reading.ts';
import { createProviderPayment, createProviderRefund, engines } from './institution-fixture.ts';

const [engine] = engines;
let stores: CheckedStores;
let close: () => Promise<void>;
beforeAll(async () => {
  if (!engine) throw new Error('there is no engine');
  ({ stores, close } = await engine.open());
});
afterAll(() => close());

const cameAt = '2027-01-01T00:00:00.000Z';
const day = (number: number): number => Date.parse(`2027-01-0${number}T00:00:00.000Z`);
const NOBODY = null;
const ACKNOWLEDGED = new Date(day(3)).toISOString();

interface Refunded {
  readonly state: 'pending' | 'done' | 'failed';
  readonly finalAt: number | null;
  readonly purpose?: 'order';
}

/** The texts of the check, of a payment whose money has gone back so. */
const check = async (name: string, acknowledgedAt: string | null, refunded?: Refunded): Promise<string[]> => {
  const collections = openCollections(stores);
  const payment = createProviderPayment({
    ...{ id: `pay_${name}`, orderId: `ord_${name}`, state: 'failed' },
    mismatch: { amount: 1, currency: 'EUR', at: cameAt, acknowledgedAt },
  });
  await collections.providerPayments.of('club').insert(payment);
  if (refunded) {
    const refund = createProviderRefund({ id: `ref_${name}`, orderId: payment.orderId, paymentId: payment.id });
    await collections.providerRefunds.of('club').insert({ ...refund, purpose: 'mismatch', amount: null, ...refunded });
  }
  const stored = await collections.providerPayments.of('club').get(payment.id);
  const cases = await judgeProviderPayments(collections, stored ? [stored] : []);
  const findings = cases.flatMap((one) => one.findings);
  expect(findings.map(({ invariant }) => invariant)).toEqual(findings.map(() => 'payment_mismatch'));
  return findings.map(({ text }) => text);
};

test.each<[string, string, Refunded | undefined]>([
  ['none', 'and its refund has not started', undefined],
  ['other', 'and its refund has not started', { state: 'done', finalAt: day(2), purpose: 'order' }],
  ['pending', 'and its refund re_ref_pending is pending', { state: 'pending', finalAt: null }],
  ['done', 'and was refunded (re_ref_done)', { state: 'done', finalAt: day(2) }],
  [
    'failed',
    'and its refund re_ref_failed has failed: give the money back at the provider',
    { state: 'failed', finalAt: day(2) },
  ],
])('unacknowledged it is named with what became of its refund: %s', async (name, what, refunded) => {
  expect(await check(name, NOBODY, refunded)).toEqual([
    `order ord_${name}, session cs_pay_${name}: 1 EUR (in the provider’s unit) came instead of 100 CHF, ${what}; operator payments acknowledge cs_pay_${name}`,
  ]);
});

test('acknowledged it is named no more, whatever was known of its refund then', async () => {
  expect(await check('seen_pending', ACKNOWLEDGED, { state: 'pending', finalAt: null })).toEqual([]);
  expect(await check('seen_done', ACKNOWLEDGED, { state: 'done', finalAt: day(2) })).toEqual([]);
  expect(await check('seen_failed', ACKNOWLEDGED, { state: 'failed', finalAt: day(2) })).toEqual([]);
});

test('a refund that fails after the acknowledgement is named again', async () => {
  expect(await check('returned', ACKNOWLEDGED, { state: 'failed', finalAt: day(4) })).toEqual([
    expect.stringContaining('its refund re_ref_returned has failed'),
  ]);
});
