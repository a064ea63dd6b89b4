// rule commerce.3: Each form POSTs to the page's address | services/payments/src/simulator/simulator.ts
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import { createSimulator, PAGES, type Simulator } from '../../src/simulator/simulator.ts';
import { buildPage, DAY_MS, describeOnEachEngine } from './account.ts';

const SECRET = `whsec_${randomUUID()}`;
const BACK = 'https://shop.example/back?order=1';

describeOnEachEngine('a page of the simulator', (account) => {
  const institution = `i-${randomUUID()}`;
  const server = createServer();
  let simulator: Simulator;
  let stripe: Stripe;
  let secret: string | undefined;
  let delivered: Stripe.Event[] = [];
  let deliver = async (body: Buffer, signature: string): Promise<void> => {
    const receivedAt = Math.floor(account.clock.now / 1_000);
    delivered.push(Stripe.webhooks.constructEvent(body, signature, SECRET, 300, undefined, receivedAt));
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    simulator = createSimulator({
      store: account.store,
      publicUrl: origin(),
      logger: { error: () => {}, warn: () => {} },
      now: () => account.clock.now,
      findWebhookSecret: async () => secret,
      deliver: async (to, body, signature) => {
        expect(to).toBe(institution);
        await deliver(body, signature);
      },
    });
    server.on(
      'request',
      simulator.front((_request, response) => void response.writeHead(418).end()),
    );
    stripe = new Stripe('sk_simulated_1', {
      httpClient: Stripe.createFetchHttpClient(simulator.createFetch(institution)),
      maxNetworkRetries: 0,
    });
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    secret = SECRET;
    delivered = [];
  });

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (amount = 4_500, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
    stripe.checkout.sessions.create(buildPage(amount, { locale: 'en', ...more }));
  const get = async (address: string | null) => {
    const response = await fetch(address ?? '');
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const post = async (id: string, fields: Readonly<Record<string, string>>) => {
    const response = await fetch(`${origin()}${PAGES}/${id}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    await simulator.settle();
    return { status: response.status, location: response.headers.get('location'), text: await response.text() };
  };
  const read = (id: string) => stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
  const kinds = () => delivered.map(({ type }) => type);
  const intentOf = async (id: string) => (await stripe.checkout.sessions.retrieve(id)).payment_intent as string;

  test('it shows the amount and the order, says that it is a simulation, and needs no script', async () => {
    const { id, url } = await open();
    expect(url).toContain(`${PAGES}/${id}`);
    const page = await get(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toContain('<html lang="en">');
    expect(page.text).toMatch(/CHF\s?45\.00/);
    expect(page.text).toContain('K7QX-2');
    expect(page.text).toContain('This is a simulation');
    expect(page.text).not.toMatch(/<script|refunded/i);
    for (const outcome of ['pay', 'decline', 'cancel', 'close', 'wait'])
      expect(page.text).toContain(`name="outcome" value="${outcome}"`);
  });

  test.each([
    ['fr', 'Ceci est une simulation'],
    ['de', 'Dies ist eine Simulation'],
  ] as const)('it speaks the language of the page: %s', async (locale, text) => {
    const { url } = await open(4_500, { locale });
    expect((await get(url)).text).toContain(text);
  });

  test('pay leads back, is told by a webhook, and happens once', async () => {
    const { id } = await open();
    expect(await post(id, { outcome: 'pay' })).toMatchObject({ status: 303, location: BACK });
    const charged = { status: 'succeeded', amount_received: 4_500, latest_charge: { disputed: false } };
    const paid = { status: 'complete', payment_status: 'paid', url: null, payment_intent: charged };
    expect(await read(id)).toMatchObject(paid);
    expect(kinds()).toEqual(['checkout.session.completed']);
    const again = await post(id, { outcome: 'pay' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('not possible here any more');
    expect(kinds()).toHaveLength(1);
  });

  test('decline leaves the page open, cancel leads back and leaves it open', async () => {
    const { id } = await open();
    const declined = await post(id, { outcome: 'decline' });
    expect(declined.status).toBe(200);
    expect(declined.text).toContain('The card was declined');
    expect(await post(id, { outcome: 'cancel' })).toMatchObject({ status: 303, location: BACK });
    expect(await read(id)).toMatchObject({ status: 'open' });
    expect(kinds()).toEqual([]);
  });

  test('close ends the page: nothing is possible there any more', async () => {
    const { id } = await open();
    expect((await post(id, { outcome: 'close' })).status).toBe(200);
    expect(await read(id)).toMatchObject({ status: 'expired' });
    expect(kinds()).toEqual(['checkout.session.expired']);
    for (const outcome of ['pay', 'decline', 'cancel', 'close', 'wait', 'settle', 'fail', 'dispute'])
      expect((await post(id, { outcome })).status).toBe(409);
  });

  test('a page that is over by time, or closed by a call, is payable no more', async () => {
    const [called, ended] = [await open(), await open()];
    await stripe.checkout.sessions.expire(called.id);
    await simulator.settle();
    expect(kinds()).toEqual(['checkout.session.expired']);
    await expect(stripe.checkout.sessions.expire(called.id)).rejects.toThrow('a status of `expired`');
    account.clock.now += DAY_MS;
    for (const { id } of [called, ended]) {
      expect((await post(id, { outcome: 'pay' })).status).toBe(409);
      expect(await read(id)).toMatchObject({ status: 'expired', payment_intent: null });
    }
  });

  test('wait completes the page unpaid; then it is settled or fails', async () => {
    const [settled, failed] = [await open(), await open()];
    expect((await post(settled.id, { outcome: 'wait' })).text).toContain('has not decided yet');
    expect(await read(settled.id)).toMatchObject({
      ...{ status: 'complete', payment_status: 'unpaid' },
      payment_intent: { status: 'processing', latest_charge: null },
    });
    expect((await post(settled.id, { outcome: 'settle' })).status).toBe(200);
    expect(await read(settled.id)).toMatchObject({ payment_status: 'paid' });
    await post(failed.id, { outcome: 'wait' });
    expect((await post(failed.id, { outcome: 'fail' })).text).toContain('nothing was paid');
    expect(await read(failed.id)).toMatchObject({ payment_intent: { status: 'requires_payment_method' } });
    expect((await post(failed.id, { outcome: 'settle' })).status).toBe(409);
    expect(kinds()).toEqual([
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.completed',
      'checkout.session.async_payment_failed',
    ]);
  });

  test('pay can bring another amount and currency, in the unit of the provider', async () => {
    const { id } = await open();
    expect((await post(id, { outcome: 'pay', amount: '700', currency: 'jpy' })).status).toBe(303);
    expect(await read(id)).toMatchObject({ amount_total: 700, currency: 'jpy' });
    expect((await get(`${origin()}${PAGES}/${id}`)).text).toMatch(/¥700/);
    for (const [name, value] of [
      ['amount', '-1'],
      ['currency', 'francs'],
      ['refunds', 'maybe'],
    ] as const)
      expect((await post(id, { outcome: 'pay', [name]: value })).status).toBe(400);
    expect((await post(id, { outcome: 'fly' })).status).toBe(400);
  });

  test('money that went back is shown as refunded, and only that', async () => {
    const { id, url } = await open();
    await post(id, { outcome: 'pay', refunds: 'pending' });
    const payment_intent = await intentOf(id);
    await stripe.refunds.create({ payment_intent, amount: 1_000 });
    expect((await get(url)).text).not.toMatch(/refunded/i);
    expect((await post(id, { outcome: 'refund_done' })).text).toMatch(/Refunded: CHF\s?10\.00/);
    expect((await stripe.refunds.list({ payment_intent })).data[0]?.status).toBe('succeeded');
    expect((await post(id, { outcome: 'refund_failed' })).text).not.toMatch(/refunded/i);
    expect((await stripe.refunds.list({ payment_intent })).data[0]?.status).toBe('failed');
    expect((await post(id, { outcome: 'refund_failed' })).status).toBe(409);
    expect(kinds()).toEqual([
      'checkout.session.completed',
      'refund.created',
      'refund.updated',
      'charge.refund.updated',
      'refund.updated',
      'charge.refund.updated',
      'refund.failed',
    ]);
  });

  test('an inquiry takes no money; a dispute does, and refuses refunds until it is won', async () => {
    const { id } = await open();
    await post(id, { outcome: 'pay', refunds: 'failed' });
    const payment_intent = await intentOf(id);
    const shown = async () => (await stripe.disputes.list({ payment_intent })).data;
    expect(await shown()).toEqual([]);
    await post(id, { outcome: 'dispute', inquiry: 'true', reason: 'product_not_received' });
    expect(await shown()).toMatchObject([{ status: 'warning_needs_response' }]);
    await post(id, { outcome: 'dispute' });
    expect(await shown()).toMatchObject([{ status: 'needs_response', amount: 4_500, reason: 'product_not_received' }]);
    await expect(stripe.refunds.create({ payment_intent })).rejects.toMatchObject({ code: 'charge_disputed' });
    expect(await read(id)).toMatchObject({ payment_intent: { latest_charge: { disputed: true } } });
    await post(id, { outcome: 'dispute_won' });
    expect(await stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 4_500, status: 'failed' });
  });

  test('what a dispute that is lost has left can be refunded, and no more', async () => {
    const { id } = await open();
    await post(id, { outcome: 'pay' });
    const payment_intent = await intentOf(id);
    await post(id, { outcome: 'dispute', amount: '3000' });
    await post(id, { outcome: 'dispute_lost' });
    await expect(stripe.refunds.create({ payment_intent, amount: 1_501 })).rejects.toMatchObject({ param: 'amount' });
    expect(await stripe.refunds.create({ payment_intent, amount: 1_500 })).toMatchObject({ status: 'succeeded' });
    await expect(stripe.refunds.create({ payment_intent })).rejects.toMatchObject({ code: 'charge_already_refunded' });
  });

  test('a paid payment is disputed; the dispute is won or lost', async () => {
    for (const end of ['won', 'lost'] as const) {
      delivered = [];
      const { id } = await open();
      expect((await post(id, { outcome: 'dispute' })).status).toBe(409);
      await post(id, { outcome: 'pay' });
      expect((await post(id, { outcome: 'dispute', reason: 'duplicate' })).text).toMatch(/In dispute: CHF\s?45\.00/);
      expect((await post(id, { outcome: `dispute_${end}` })).status).toBe(200);
      expect((await post(id, { outcome: `dispute_${end}` })).status).toBe(409);
      const [dispute] = (await stripe.disputes.list({ payment_intent: await intentOf(id) })).data;
      expect(dispute).toMatchObject({ status: end, reason: 'duplicate' });
      expect(kinds()).toEqual([
        'checkout.session.completed',
        'charge.dispute.created',
        'charge.dispute.funds_withdrawn',
        'charge.dispute.closed',
        ...(end === 'won' ? ['charge.dispute.funds_reinstated'] : []),
      ]);
    }
  });

  test('no webhook where the form says none, or without a secret; one that is not taken disturbs nothing', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    await post(one.id, { outcome: 'pay', webhook: 'none' });
    secret = undefined;
    await post(two.id, { outcome: 'pay' });
    expect(kinds()).toEqual([]);
    secret = SECRET;
    const working = deliver;
    deliver = () => Promise.reject(new Error('away'));
    expect((await post(three.id, { outcome: 'pay' })).status).toBe(303);
    deliver = working;
  });

  test('there is no page of an unknown session, and nothing else is a page', async () => {
    expect((await get(`${origin()}${PAGES}/cs_unknown`)).status).toBe(404);
    expect((await get(`${origin()}${PAGES}`)).status).toBe(404);
    expect((await get(`${origin()}/svc/v3/payment-providers`)).status).toBe(418);
  });
});
