// commerce 3: `npm run operator -- payment-providers set INSTITUTION stripe` reads them from standard input | deploy/operator/src/payments.ts
import { payments, paymentsCollection } from '@boxoffice/payments';
import { openSqliteStores } from '@boxoffice/store';
import { beforeAll, expect, test } from '@jest/globals';
import { createProviderPayment } from './check/institution-fixture.ts';
import { createClub, createOperator, createTemporaryDirectory } from './program.ts';

const directory = createTemporaryDirectory();
const SETTINGS = { PAYMENT_SIMULATOR: 'on', PAYMENTS_KEY_ENCRYPTION_KEY: 'a key of payments alone' };
const piped = (input: string, settings: Readonly<Record<string, string>> = SETTINGS) =>
  createOperator(directory, settings, input);
const read = createOperator(directory, SETTINGS);

beforeAll(async () => {
  await createClub(read);
});

test('keys are set as JSON or one a line, listed without them, and deleted', async () => {
  const json = JSON.stringify({ secretKey: 'sk_simulated_1', webhookSecret: 'whsec_1', methods: ['card', 'twint'] });
  const set = await piped(json)('payment-providers', 'set', 'club', 'stripe', '--json');
  expect([set.status, set.err]).toEqual([0, '']);
  expect(JSON.parse(set.out)).toMatchObject({
    institution: 'club',
    mode: 'simulated',
    hasWebhookSecret: true,
    methods: ['card', 'twint'],
    webhookUrl: 'https://localhost:8443/svc/v3/payment-providers/stripe/webhooks/club',
  });
  const lines = await piped('rk_simulated_2\nwhsec_2\n')('payment-providers', 'set', 'club', 'stripe');
  expect([lines.status, lines.err]).toEqual([0, '']);
  const listed = await read('payment-providers', 'list', 'club');
  expect(listed.out).toContain('simulated');
  expect(listed.out + set.out + lines.out).not.toMatch(/simulated_[12]|whsec/);
  expect((await read('payment-providers', 'delete', 'club', 'stripe')).status).toBe(0);
  expect((await read('payment-providers', 'list', 'club')).out.trim()).toBe('none');
  expect((await read('payment-providers', 'delete', 'club', 'stripe')).status).toBe(1);
});

test.each([
  ['nothing', '', SETTINGS],
  ['no JSON', '{"secretKey"', SETTINGS],
  ['a publishable key', 'pk_test_1', SETTINGS],
  ['keys of the simulator where it is off', 'sk_simulated_1', { ...SETTINGS, PAYMENT_SIMULATOR: 'off' }],
])('%s is refused, and not repeated', async (_what, input, settings) => {
  const { status, out, err } = await piped(input, settings)('payment-providers', 'set', 'club', 'stripe');
  expect([status, out]).toEqual([1, '']);
  expect(err).toMatch(/^operator: .+/);
  if (input !== '') expect(err).not.toContain(input);
});

test('another provider and another institution do not exist', async () => {
  expect((await piped('sk_simulated_1')('payment-providers', 'set', 'club', 'paywave')).err).toContain(
    'there is stripe',
  );
  expect((await piped('sk_simulated_1')('payment-providers', 'set', 'nowhere', 'stripe')).err).toContain('nowhere');
});

test('a payment of another amount is acknowledged once, by its session', async () => {
  const stores = openSqliteStores({ directory });
  const store = await stores.open(payments.name, payments.collections);
  const mismatch = { amount: 1, currency: 'EUR', at: '2027-01-01T00:00:00.000Z', acknowledgedAt: null };
  const payment = createProviderPayment({ id: 'pay_m', orderId: 'ord_m', state: 'failed', mismatch });
  await store.collection(paymentsCollection).of('club').insert(payment);
  await stores.close();
  const acknowledged = await read('payments', 'acknowledge', 'cs_pay_m');
  expect([acknowledged.status, acknowledged.out]).toEqual([0, expect.stringContaining('ord_m')]);
  const again = await read('payments', 'acknowledge', 'cs_pay_m');
  expect([again.status, again.err]).toEqual([1, expect.stringContaining('cs_pay_m')]);
});
