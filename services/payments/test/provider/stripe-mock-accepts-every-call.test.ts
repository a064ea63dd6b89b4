import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import type { PageRequest } from '../../src/domain/payment.ts';
import { createStripe } from '../../src/provider/stripe.ts';

const program = process.env.STRIPE_MOCK ?? 'stripe-mock';

let mock: ChildProcess;
let origin = '';

/** The provider's own stateless server: it checks each request against the description of its interface. */
beforeAll(async () => {
  mock = spawn(program, ['-http-addr', '127.0.0.1:'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(mock, 'spawn');
  if (!mock.stdout) throw new Error('stripe-mock has no output');
  for await (const line of createInterface(mock.stdout)) {
    const [, address] = /^Listening for HTTP at address: (\S+)$/.exec(line) ?? [];
    if (address === undefined) continue;
    origin = `http://${address}`;
    break;
  }
});
afterAll(async () => {
  if (mock.exitCode === null && mock.kill()) await once(mock, 'exit');
});

interface Call {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * stripe-mock 0.203.0 describes 2026-08-26.dahlia. The version after it took one parameter's place:
 * https://docs.stripe.com/changelog/endive/2026-09-30/remove-payment-method-types-checkout-sessions
 */
const toDescribed = (body: unknown): string =>
  String(body).replaceAll('allowed_payment_method_types[', 'payment_method_types[');

/** Sends there what is meant for the provider; `change` may replace what a session says. */
const createFetch =
  (calls: Call[], change: (body: Record<string, unknown>) => object = (body) => body): typeof fetch =>
  async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const headers = new Headers(init?.headers);
    headers.delete('content-length');
    const described = init?.body && toDescribed(init.body);
    const response = await fetch(`${origin}${pathname}${search}`, { ...init, headers, body: described });
    const body = (await response.json()) as Record<string, unknown>;
    const path = pathname.replace(/(?:cs|pi|re)_\w+/, '{id}');
    calls.push({ method: init?.method ?? 'GET', path, status: response.status });
    const requestId = response.headers.get('request-id') ?? '';
    return new Response(JSON.stringify(change(body)), {
      status: response.status,
      headers: { 'request-id': requestId },
    });
  };

const request: PageRequest = {
  paymentId: 'pay_1',
  orderId: 'ord_1',
  institution: 'opera',
  number: 'K7QX-2',
  methods: ['card'],
  amount: 4_500,
  currency: 'CHF',
  language: 'de-CH',
  returnUrl: 'https://shop.example/back?order=1',
  endsAtSeconds: Math.floor(Date.now() / 1_000) + 2_400,
};

test('every call of the port is one that the provider describes', async () => {
  const calls: Call[] = [];
  const disputed = { id: 'pi_1', status: 'succeeded', amount_received: 4_500, currency: 'chf' };
  const stripe = createStripe('sk_test_123', {
    fetch: createFetch(calls, (body) =>
      body.object === 'checkout.session'
        ? {
            ...body,
            url: 'https://checkout.example',
            payment_intent: { ...disputed, latest_charge: { disputed: true } },
          }
        : body,
    ),
  });
  await stripe.openPage(request, 'ada@example.org', 'key-1');
  await stripe.openPage({ ...request, language: null, methods: ['card', 'twint', 'link'] }, null, 'key-2');
  await stripe.readPage('cs_test_1');
  await stripe.readPage(null);
  await stripe.closePage('cs_test_1');
  const refund = { refundId: 'ref_1', paymentId: 'pay_1', orderId: 'ord_1', institution: 'opera', currency: 'CHF' };
  await stripe.refund({ ...refund, charge: 'pi_1', amount: 500 }, 'key-3');
  await stripe.listRefunds('pi_1');
  // Some are sent beside each other.
  const order = (list: readonly Call[]) => list.map((one) => JSON.stringify(one)).toSorted();
  const expected = (
    [
      ['POST', '/v1/checkout/sessions'],
      ['POST', '/v1/checkout/sessions'],
      ['GET', '/v1/checkout/sessions/{id}'],
      ['GET', '/v1/disputes'],
      ['GET', '/v1/checkout/sessions'],
      ['GET', '/v1/disputes'],
      ['GET', '/v1/refunds'],
      ['POST', '/v1/checkout/sessions/{id}/expire'],
      ['POST', '/v1/refunds'],
      ['GET', '/v1/refunds'],
    ] as const
  ).map(([method, path]) => ({ method, path, status: 200 }));
  expect(order(calls)).toEqual(order(expected));
});

test('a parameter that the provider does not know is refused', async () => {
  const calls: Call[] = [];
  const stripe = new Stripe('sk_test_123', { httpClient: Stripe.createFetchHttpClient(createFetch(calls)) });
  const params = { mode: 'payment', success_address: 'https://shop.example' };
  await expect(stripe.checkout.sessions.create(params as object)).rejects.toThrow('additional properties');
});
