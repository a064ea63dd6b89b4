// rule commerce.3: A killed process never charges or refunds twice, and no refund is lost | services/payments/src/refunds/refund.ts
import { expect, test } from '@jest/globals';
import { createErrorResponse } from '../../src/simulator/api.ts';
import { simulatedSessionsCollection } from '../../src/simulator/store.ts';
import { DAY_MS, describeOnEachEngine, HOUR_MS, INSTITUTION, MINUTE_MS } from '../fixture/fixture.ts';

describeOnEachEngine('a refund', (fixture) => {
  const isRefund = ({ path, method }: { readonly path: string; readonly method: string }) =>
    path === '/v1/refunds' && method === 'POST';

  test('is made, and reported when it is done', async () => {
    const page = await fixture.paid();
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(fixture.world.refunds.get(refundId)?.at(-1)?.reference).toMatch(/^re_/);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test('is asked for again until it is done', async () => {
    const page = await fixture.paid({}, { refunds: 'pending' });
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    expect(fixture.refundStatesOf(refundId)).toEqual([]);
    expect(fixture.world.refunds.get(refundId)?.at(-1)).toMatchObject({ status: 'pending' });
    await fixture.send(page, { outcome: 'refund_done', webhook: 'none' });
    await fixture.later(HOUR_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
  });

  test('that fails is reported, at once, by a webhook or by the next look', async () => {
    const [atOnce, told, late] = [
      await fixture.paid({}, { refunds: 'failed' }),
      await fixture.paid(),
      await fixture.paid(),
    ];
    const [first, second, third] = [
      await fixture.requestRefund(atOnce),
      await fixture.requestRefund(told),
      await fixture.requestRefund(late),
    ];
    await fixture.later();
    await fixture.send(told, { outcome: 'refund_failed' });
    await fixture.send(late, { outcome: 'refund_failed', webhook: 'none' });
    await fixture.later();
    expect(fixture.refundStatesOf(first)).toEqual(['failed']);
    expect(fixture.refundStatesOf(second)).toEqual(['done', 'failed']);
    expect(fixture.refundStatesOf(third)).toEqual(['done']);
    await fixture.later(2 * DAY_MS);
    expect(fixture.refundStatesOf(third)).toEqual(['done', 'failed']);
  });

  test.each([
    ['before it arrives', false],
    ['after it was made', true],
  ])('whose request is lost %s is made once, under the same key', async (_when, arrives) => {
    const page = await fixture.paid();
    const keys: (string | undefined)[] = [];
    fixture.provider.disturb = async (sent, execute) => {
      if (!isRefund(sent)) return execute();
      keys.push(sent.idempotencyKey);
      if (arrives) await execute();
      throw new TypeError('lost');
    };
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    await fixture.later();
    fixture.heal();
    await fixture.later();
    expect(new Set(keys)).toEqual(new Set([`${refundId}.1`]));
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test.each([
    ['without an effect', 'fails'],
    ['although it was made', 'fails_after_effect'],
  ] as const)('whose request the provider answers 500 %s, again and again, is made once', async (_how, execution) => {
    const page = await fixture.paid();
    let failures = 0;
    fixture.provider.disturb = (sent, execute) => {
      if (!isRefund(sent) || failures > 0) return execute();
      failures += 1;
      return execute(execution);
    };
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    await fixture.later();
    fixture.heal();
    expect(fixture.refundStatesOf(refundId)).toEqual(execution === 'fails' ? [] : ['done']);
    expect((await fixture.refund(refundId))?.attempt).toBe(1);
    await fixture.later(9 * MINUTE_MS);
    expect((await fixture.refund(refundId))?.attempt).toBe(1);
    await fixture.later(2 * MINUTE_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(await fixture.countRefunds(page)).toBe(1);
    expect((await fixture.refund(refundId))?.attempt).toBe(execution === 'fails' ? 2 : 1);
  });

  test('that the provider makes only after it has answered 500 is made once', async () => {
    const page = await fixture.paid();
    const late: (() => Promise<Response>)[] = [];
    fixture.provider.disturb = async (sent, execute) => {
      if (!isRefund(sent) || late.length > 0) return execute();
      late.push(execute);
      return createErrorResponse(500, 'No.');
    };
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    await fixture.later(MINUTE_MS);
    expect(late).toHaveLength(1);
    for (const make of late) await make();
    fixture.heal();
    await fixture.later(HOUR_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test('that is at the provider twice is logged and counted', async () => {
    const page = await fixture.paid();
    const sessions = fixture.store.collection(simulatedSessionsCollection).of(INSTITUTION);
    fixture.provider.disturb = async (sent, execute) => {
      if (!isRefund(sent)) return execute();
      await execute();
      await sessions.update(page.reference, (current) => ({
        next: { ...current, refunds: current.refunds.flatMap((one) => [one, { ...one, id: `${one.id}2` }]) },
      }));
      throw new TypeError('lost');
    };
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    fixture.heal();
    await fixture.later();
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(fixture.countLogged('made more than once')).toBeGreaterThan(0);
    expect((await fixture.metrics.text()).text).toMatch(/payments_refunds_total\{outcome="doubled"\} [1-9]/);
  });

  test('waits where the balance of the account is too small, and is sent with the next attempt’s key', async () => {
    const page = await fixture.paid();
    fixture.provider.disturb = async (sent, execute) =>
      isRefund(sent) ? createErrorResponse(400, 'Insufficient funds.', { code: 'balance_insufficient' }) : execute();
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    await fixture.later(MINUTE_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual([]);
    fixture.heal();
    await fixture.later(HOUR_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect((await fixture.refund(refundId))?.attempt).toBe(2);
  });

  test('of an amount that the provider’s unit cannot express has failed, and is logged', async () => {
    const page = await fixture.paid({ currency: 'ISK', amount: 4_500 });
    const before = fixture.countLogged('a refund cannot be made');
    const refundId = await fixture.requestRefund(page, 1_505, 'KWD');
    const fine = await fixture.requestRefund(page, 1_500, 'ISK');
    await fixture.later();
    expect([fixture.refundStatesOf(refundId), fixture.refundStatesOf(fine)]).toEqual([['failed'], ['done']]);
    expect(fixture.countLogged('a refund cannot be made')).toBe(before + 1);
  });

  test('that was sent a day ago and made is found, though its key is forgotten', async () => {
    const page = await fixture.paid();
    fixture.provider.disturb = async (sent, execute) => {
      if (!isRefund(sent)) throw new TypeError('away');
      await execute();
      throw new TypeError('lost');
    };
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    fixture.heal();
    await fixture.later(25 * HOUR_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test('that was sent a day ago and never arrived is sent with the next attempt’s key', async () => {
    const page = await fixture.paid();
    fixture.provider.disturb = () => Promise.reject(new TypeError('away'));
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    fixture.heal();
    await fixture.later(25 * HOUR_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test('that the provider cannot make has failed', async () => {
    const page = await fixture.paid();
    const whole = await fixture.requestRefund(page, 4_500);
    await fixture.later();
    const more = await fixture.requestRefund(page, 100);
    await fixture.later();
    expect([fixture.refundStatesOf(whole), fixture.refundStatesOf(more)]).toEqual([['done'], ['failed']]);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test.each([
    [429, {}],
    [503, {}],
    [400, { code: 'rate_limit' }],
  ] as const)('waits while the provider answers %d %j', async (status, members) => {
    const page = await fixture.paid();
    fixture.provider.disturb = async (sent, execute) =>
      isRefund(sent) ? createErrorResponse(status, 'Later.', members) : execute();
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    expect(fixture.refundStatesOf(refundId)).toEqual([]);
    fixture.heal();
    await fixture.later();
    await fixture.later();
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
    expect(await fixture.countRefunds(page)).toBe(1);
  });

  test('that its order does not have stays due until it has it', async () => {
    const page = await fixture.paid();
    const refundId = await fixture.requestRefund(page);
    fixture.world.unknown.add(refundId);
    await fixture.later();
    expect(await fixture.refund(refundId)).toMatchObject({ state: 'done', reported: false });
    fixture.world.unknown.delete(refundId);
    await fixture.later(HOUR_MS);
    expect(fixture.refundStatesOf(refundId)).toEqual(['done']);
  });

  test('is reported once more when orders publishes its request again', async () => {
    const page = await fixture.paid();
    const refundId = await fixture.requestRefund(page);
    await fixture.later();
    const { orderId } = (await fixture.payment(page.paymentId)) ?? {};
    const before = fixture.world.refunds.get(refundId)?.length ?? 0;
    await fixture.deliver('order.refund_requested', {
      ...{ orderId, refundId, paymentId: page.paymentId, provider: 'stripe', amount: 1_500, currency: 'CHF' },
      automatic: false,
    });
    await fixture.later();
    expect(fixture.world.refunds.get(refundId)?.slice(before)).toEqual([expect.objectContaining({ status: 'done' })]);
    expect(await fixture.countRefunds(page)).toBe(1);
  });
});
