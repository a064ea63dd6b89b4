// rule commerce.3: The simulator of the provider is part of the service | services/payments/src/simulator/api.ts
import { beforeEach, expect, test } from '@jest/globals';
import type Stripe from 'stripe';
import { endRefund, pay } from '../../src/simulator/session.ts';
import { type Session, simulatedSessionsCollection } from '../../src/simulator/store.ts';
import { buildPage, DAY_MS, describeOnEachEngine, MINUTE_MS } from './account.ts';

describeOnEachEngine('the simulator', (account) => {
  let stripe: Stripe;
  beforeEach(() => {
    stripe = account.stripe();
  });

  const open = (amount = 4_500, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
    stripe.checkout.sessions.create(buildPage(amount, more));
  /** What happens on the page, without the page. */
  const change = (id: string, step: (session: Session, now: number) => Session) =>
    account.store
      .collection(simulatedSessionsCollection)
      .acrossInstitutions.update(id, (current) => ({ next: step(current, Math.floor(account.clock.now / 1_000)) }));
  const read = (id: string) => stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error: Stripe.errors.StripeError) => ({
        type: error.rawType,
        code: error.code ?? null,
        status: error.statusCode,
      }),
    );

  test('an open page shows what it was made of, and no data of the buyer', async () => {
    const made = await open(4_500, { customer_email: 'ada@example.org' });
    expect(made).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 4_500,
      currency: 'chf',
      payment_intent: null,
      url: `https://tickets.example/pages/${made.id}`,
      livemode: false,
    });
    expect(made.id).toMatch(/^cs_/);
    expect(await read(made.id)).toMatchObject({ id: made.id, status: 'open' });
    const stored = await account.store.collection(simulatedSessionsCollection).acrossInstitutions.find();
    expect(JSON.stringify(stored)).not.toContain('ada@example.org');
  });

  test('of a payment and the closing at once one happens', async () => {
    for (let time = 0; time < 10; time += 1) {
      const { id } = await open();
      const both = await Promise.allSettled([change(id, pay), stripe.checkout.sessions.expire(id)]);
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { status, payment_status } = await read(id);
      expect([status, payment_status]).toEqual(
        both[0].status === 'fulfilled' ? ['complete', 'paid'] : ['expired', 'unpaid'],
      );
    }
  });

  test('refunds return what is left and no more, fail late, and are listed', async () => {
    const { id } = await open(1_000);
    await change(id, pay);
    const payment_intent = (await stripe.checkout.sessions.retrieve(id)).payment_intent as string;
    const first = await stripe.refunds.create({ payment_intent, amount: 400, metadata: { boxoffice_refund: 'ref_1' } });
    expect(first).toMatchObject({ status: 'succeeded', amount: 400, metadata: { boxoffice_refund: 'ref_1' } });
    expect(await codeOf(stripe.refunds.create({ payment_intent, amount: 601 }))).toMatchObject({ status: 400 });
    const second = await stripe.refunds.create({ payment_intent });
    expect(second.amount).toBe(600);
    expect(await codeOf(stripe.refunds.create({ payment_intent }))).toMatchObject({ code: 'charge_already_refunded' });
    await change(id, (session) => endRefund(session, 'failed'));
    const listed = await stripe.refunds.list({ payment_intent });
    expect(listed.data.map((one) => [one.id, one.status])).toEqual([
      [second.id, 'failed'],
      [first.id, 'succeeded'],
    ]);
    const page = await stripe.refunds.list({ payment_intent, limit: 1 });
    expect([page.data.length, page.has_more]).toEqual([1, true]);
    const all: string[] = [];
    for await (const one of stripe.refunds.list({ payment_intent, limit: 1 })) all.push(one.id);
    expect(all).toEqual([second.id, first.id]);
    expect((await stripe.refunds.create({ payment_intent })).amount).toBe(600);
  });

  test('what the provider refuses, the simulator refuses with the same code', async () => {
    const far = Math.floor(account.clock.now / 1_000) + 29 * 60;
    expect(await codeOf(open(49))).toMatchObject({ code: 'amount_too_small', status: 400 });
    expect(await codeOf(open(4_500, { expires_at: far }))).toMatchObject({ type: 'invalid_request_error' });
    expect(await codeOf(stripe.checkout.sessions.retrieve('cs_test_none'))).toEqual({
      type: 'invalid_request_error',
      code: 'resource_missing',
      status: 404,
    });
    expect(await codeOf(account.stripe({ key: 'sk_test_1' }).checkout.sessions.list())).toMatchObject({ status: 401 });
    expect(await codeOf(stripe.customers.list())).toMatchObject({ status: 404 });
  });

  test('all keys of an institution are one account, and another institution has another', async () => {
    const { id } = await open();
    const restricted = account.stripe({ key: 'rk_simulated_2' });
    expect((await restricted.checkout.sessions.retrieve(id)).id).toBe(id);
    expect((await restricted.checkout.sessions.list({ limit: 1 })).data).toHaveLength(1);
    const other = account.stripe({ institution: 'elsewhere' });
    expect(await codeOf(other.checkout.sessions.retrieve(id))).toMatchObject({ code: 'resource_missing' });
    expect((await other.checkout.sessions.list()).data).toEqual([]);
  });

  test('a key repeats its first answer, errors and 500 included, and only for the same request', async () => {
    const once = { idempotencyKey: `key-${account.clock.now}` };
    const [one, two] = await Promise.all([0, 1].map(() => stripe.checkout.sessions.create(buildPage(900), once)));
    expect(two?.id).toBe(one?.id);
    expect(await codeOf(stripe.checkout.sessions.create(buildPage(901), once))).toEqual({
      type: 'idempotency_error',
      code: null,
      status: 400,
    });
    const id = one?.id ?? '';
    await change(id, pay);
    const payment_intent = (await stripe.checkout.sessions.retrieve(id)).payment_intent as string;

    const refused = { idempotencyKey: `refused-${id}` };
    const request = { payment_intent, amount: 2_000 };
    expect(await codeOf(stripe.refunds.create(request, refused))).toMatchObject({ status: 400 });
    expect(await codeOf(stripe.refunds.create(request, refused))).toMatchObject({ status: 400 });

    const failing = account.stripe({ disturb: (_request, execute) => execute('fails_after_effect') });
    const failed = { idempotencyKey: `failed-${id}` };
    expect(await codeOf(failing.refunds.create({ payment_intent, amount: 100 }, failed))).toMatchObject({
      status: 500,
    });
    expect(await codeOf(stripe.refunds.create({ payment_intent, amount: 100 }, failed))).toMatchObject({ status: 500 });
    expect((await stripe.refunds.list({ payment_intent })).data).toHaveLength(1);

    account.clock.now += DAY_MS + MINUTE_MS;
    await stripe.refunds.create({ payment_intent, amount: 100 }, failed);
    await stripe.refunds.create({ payment_intent, amount: 100 }, failed);
    expect((await stripe.refunds.list({ payment_intent })).data).toHaveLength(2);
  });

  test('an answer can be lost after its effect', async () => {
    const lost = account.stripe({
      disturb: async (_request, execute) => {
        await execute();
        throw new TypeError('fetch failed');
      },
    });
    const once = { idempotencyKey: `lost-${account.clock.now}` };
    await expect(lost.checkout.sessions.create(buildPage(800), once)).rejects.toThrow('connection');
    const found = await stripe.checkout.sessions.create(buildPage(800), once);
    expect((await stripe.checkout.sessions.list()).data.filter((one) => one.amount_total === 800)).toEqual([
      expect.objectContaining({ id: found.id }),
    ]);
  });
});
