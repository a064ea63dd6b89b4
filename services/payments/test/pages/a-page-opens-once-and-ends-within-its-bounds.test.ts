// rule commerce.3: The grace period of a provider's payment counts from the last page | services/payments/src/domain/payment.ts
import { deriveId } from '@boxoffice/runtime';
import { waitUntil } from '@boxoffice/store/conformance';
import { expect, test } from '@jest/globals';
import { computeEnds, computeExpiry, isPending } from '../../src/domain/payment.ts';
import { createErrorResponse } from '../../src/simulator/api.ts';
import { createName, describeOnEachEngine, HOUR_MS, INSTITUTION, MINUTE_MS } from '../fixture/fixture.ts';

describeOnEachEngine('a page', (fixture) => {
  test('is opened once for an order and a request, whatever repeats', async () => {
    const asked = { orderId: createName('ord'), requestId: createName('req') };
    const [first, second] = await Promise.all([fixture.page(asked), fixture.page(asked)]);
    const later = await fixture.page(asked);
    expect([second, later]).toEqual([first, first]);
    expect(first).toMatchObject({ mode: 'simulated', amount: 4_500, currency: 'CHF', provider: 'stripe' });
    expect(first.url).toContain(first.reference);
    expect(first.reference).toMatch(/^cs_/);
  });

  test('lives for at least 30 minutes and is closed a minute before it ends', async () => {
    const page = await fixture.page();
    const expiresIn = Date.parse(page.expiresAt) - fixture.clock.now;
    const until = Date.parse(page.until) - fixture.clock.now;
    expect(until).toBe(32 * MINUTE_MS);
    expect(expiresIn).toBeGreaterThanOrEqual(30 * MINUTE_MS);
    await fixture.later(expiresIn - 1_000);
    expect((await fixture.look((await fixture.payment(page.paymentId))?.orderId ?? ''))[0]?.state).toBe('pending');
    await fixture.later(1_000);
    expect(fixture.statesOf(page.paymentId)).toEqual(['expired']);
    expect(await fixture.send(page, { outcome: 'pay' })).toBe(409);
  });

  test('stores what is sent, but not the address of the buyer', async () => {
    const email = `${createName('ada')}@example.org`;
    const sent: string[] = [];
    fixture.provider.disturb = (request, execute) => {
      sent.push(String(request.form));
      return execute();
    };
    const page = await fixture.page({ email, returnUrl: 'https://tickets.opera.example/thanks?a=1&b=%C3%A9#end' });
    fixture.heal();
    const [form] = sent;
    const fields = new URLSearchParams(form);
    expect(Object.fromEntries(fields)).toMatchObject({
      mode: 'payment',
      customer_email: email,
      client_reference_id: page.paymentId,
      'metadata[boxoffice_institution]': INSTITUTION,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][unit_amount]': '4500',
      'line_items[0][price_data][currency]': 'chf',
      'line_items[0][price_data][product_data][name]': 'K7XQ2P9A',
      'adaptive_pricing[enabled]': 'false',
      allow_promotion_codes: 'false',
      'automatic_tax[enabled]': 'false',
      success_url: 'https://tickets.opera.example/thanks?a=1&b=%C3%A9#end',
      cancel_url: 'https://tickets.opera.example/thanks?a=1&b=%C3%A9#end',
      locale: 'de',
    });
    expect([...fields].filter(([name]) => name.startsWith('allowed_payment_method_types'))).toHaveLength(2);
    expect(JSON.stringify(await fixture.payment(page.paymentId))).not.toContain(email);
  });

  test('that is over keeps not where the buyer came back to', async () => {
    const mark = createName('visit');
    const page = await fixture.page({ returnUrl: `https://tickets.opera.example/${mark}` });
    const show = async () => JSON.stringify(await fixture.payment(page.paymentId));
    expect(await show()).toContain(mark);
    expect(await fixture.closePage(page.paymentId)).toBe('expired');
    expect(await show()).not.toContain(mark);
  });

  test('opens without the address of the buyer where the provider does not take it', async () => {
    const email = 'ada@example.invalid';
    fixture.provider.disturb = async (request, execute) =>
      request.form.get('customer_email') === email
        ? createErrorResponse(400, 'Invalid email address.', { code: 'email_invalid', param: 'customer_email' })
        : execute();
    expect((await fixture.open({ email })).outcome).toBe('opened');
    fixture.provider.disturb = async () => createErrorResponse(400, 'No.');
    expect((await fixture.open({ email })).outcome).toBe('unavailable');
    fixture.heal();
  });

  test('cannot be had from a provider that is away, and the same request gets it once that answers', async () => {
    const asked = { orderId: createName('ord'), requestId: createName('req') };
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    expect(await fixture.open(asked)).toEqual({ outcome: 'unavailable', page: null });
    fixture.provider.disturb = async (_request, execute) => {
      await execute();
      throw new TypeError('the answer is lost');
    };
    expect(await fixture.open(asked)).toEqual({ outcome: 'unavailable', page: null });
    const keys: (string | undefined)[] = [];
    fixture.provider.disturb = (request, execute) => {
      keys.push(request.idempotencyKey);
      return execute();
    };
    const page = await fixture.page(asked);
    fixture.heal();
    expect(keys).toEqual([`${page.paymentId}.1`]);
  });

  test('is asked for with the next attempt’s key where its end has come too near', async () => {
    const asked = { orderId: createName('ord'), requestId: createName('req') };
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    await fixture.open(asked);
    fixture.heal();
    fixture.clock.now += 5 * MINUTE_MS;
    const page = await fixture.page(asked);
    expect(Date.parse(page.until) - fixture.clock.now).toBe(32 * MINUTE_MS);
    expect((await fixture.payment(page.paymentId))?.attempt).toBe(2);
  });

  test('that never opened ends by itself, without a word to orders', async () => {
    const asked = { orderId: createName('ord'), requestId: createName('req') };
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    await fixture.open(asked);
    fixture.heal();
    await fixture.later(HOUR_MS);
    expect(await fixture.look(asked.orderId)).toEqual([]);
    expect(await fixture.open(asked)).toEqual({ outcome: 'payable_no_more', page: null });
  });

  test('is not opened for an amount that the provider takes no payment of', async () => {
    expect((await fixture.open({ amount: 49 })).outcome).toBe('amount_too_small');
    expect((await fixture.open({ amount: 1_005, currency: 'KWD' })).outcome).toBe('unavailable');
    fixture.provider.disturb = async () =>
      createErrorResponse(400, 'Amount must convert to at least 50 cents.', { code: 'amount_too_small' });
    expect((await fixture.open({ amount: 60 })).outcome).toBe('amount_too_small');
    fixture.heal();
  });

  test.each([429, 500, 503])('is not opened while the provider answers %d', async (status) => {
    fixture.provider.disturb = async () => createErrorResponse(status, 'No.');
    expect((await fixture.open()).outcome).toBe('unavailable');
    fixture.heal();
  });

  test('of another try replaces those before, and none where one of them is paid', async () => {
    const orderId = createName('ord');
    const first = await fixture.page({ orderId });
    const second = await fixture.page({ orderId, replaces: true });
    expect(fixture.statesOf(first.paymentId)).toEqual(['expired']);
    await fixture.send(second, { outcome: 'pay', webhook: 'none' });
    expect(await fixture.open({ orderId, replaces: true })).toEqual({ outcome: 'payable_no_more', page: null });
    expect(fixture.statesOf(second.paymentId)).toEqual(['captured']);
  });

  test('of another try is the only one that stays open, however many try at the same time', async () => {
    const orderId = createName('ord');
    const tries = Array.from({ length: 9 }, () => ({ orderId, requestId: createName('req'), replaces: true }) as const);
    await fixture.page(tries[0]);
    await Promise.all(tries.slice(1).map((one) => fixture.open(one)));
    const listPending = async () => {
      const found = await fixture.context.payments.of(INSTITUTION).find({ where: { orderId } });
      return found.filter(isPending);
    };
    // On a busy machine some go on after their answer.
    await waitUntil(async () => (await listPending()).length === 1);
    const [open] = await listPending();
    const last = tries.find(({ requestId }) => deriveId('pay', orderId, requestId) === open?.id);
    expect((await fixture.open(last)).page?.paymentId).toBe(open?.id);
  });

  test('is one of few that are open for an order', async () => {
    const orderId = createName('ord');
    for (let count = 0; count < 3; count += 1) await fixture.page({ orderId });
    expect((await fixture.open({ orderId })).outcome).toBe('unavailable');
  });

  test('that the provider did not open leaves room for another, as often as it was asked for in vain', async () => {
    const orderId = createName('ord');
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    for (let count = 0; count < 3; count += 1) await fixture.open({ orderId });
    fixture.heal();
    expect((await fixture.open({ orderId })).outcome).toBe('unavailable');
    fixture.clock.now += MINUTE_MS;
    expect((await fixture.open({ orderId })).outcome).toBe('opened');
  });

  test('is not the page of another amount', async () => {
    const asked = { orderId: createName('ord'), requestId: createName('req') };
    await fixture.page(asked);
    expect((await fixture.open({ ...asked, amount: 4_600 })).outcome).toBe('payable_no_more');
  });
});

test.each([
  [0, 32 * MINUTE_MS],
  [15 * MINUTE_MS, 32 * MINUTE_MS],
  [HOUR_MS, HOUR_MS],
  [30 * HOUR_MS, 24 * HOUR_MS],
])('a grace period of %d ms lasts for %d', (graceMs, expected) => {
  const now = Date.parse('2027-02-01T12:00:00.250Z');
  const { until, endsAt } = computeEnds(graceMs, now);
  expect(until - now).toBe(expected);
  expect(endsAt % 1_000).toBe(0);
  expect(endsAt - now).toBeGreaterThanOrEqual(31 * MINUTE_MS);
  expect(endsAt).toBeLessThan(until);
  expect(endsAt - now).toBeLessThan(24 * HOUR_MS);
  expect(computeExpiry({ endsAt })).toBe(endsAt - MINUTE_MS);
});
