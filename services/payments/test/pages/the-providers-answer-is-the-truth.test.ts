// rule commerce.3: The provider's answer is the truth | services/payments/src/pages/read.ts
import { expect, test } from '@jest/globals';
import { createName, DAY_MS, describeOnEachEngine, HOUR_MS, MINUTE_MS, type Page } from '../fixture/fixture.ts';

const SECOND_MS = 1_000;
const LOST = { webhook: 'none' };

describeOnEachEngine('a payment', (fixture) => {
  const countReads = () => {
    let reads = 0;
    fixture.provider.disturb = (request, execute) => {
      if (request.method === 'GET' && request.path.startsWith('/v1/checkout/sessions/')) reads += 1;
      return execute();
    };
    return () => reads;
  };
  const orderOf = async ({ paymentId }: Page): Promise<string> => (await fixture.payment(paymentId))?.orderId ?? 'none';

  test('is reported as soon as its webhook has come', async () => {
    const page = await fixture.page();
    await fixture.send(page, { outcome: 'pay' });
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
    expect(fixture.world.payments.get(page.paymentId)?.at(-1)).toEqual({
      status: 'captured',
      provider: 'stripe',
      mode: 'simulated',
      reference: page.reference,
      amount: 4_500,
      currency: 'CHF',
    });
  });

  test('whose webhook is lost is found after 30 s, 2, 5, 15 minutes, at the end of its page, then hourly', async () => {
    const reads = countReads();
    const page = await fixture.page();
    const openedAt = fixture.clock.now;
    const asked: number[] = [];
    for (const seconds of [29, 30, 119, 120, 299, 300, 899, 900, 1_500]) {
      await fixture.later(openedAt + seconds * SECOND_MS - fixture.clock.now);
      asked.push(reads());
    }
    expect(asked).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4]);
    await fixture.send(page, { outcome: 'wait', ...LOST });
    const endsAt = Date.parse(page.expiresAt) + MINUTE_MS;
    await fixture.later(endsAt + SECOND_MS - fixture.clock.now);
    const atTheEnd = reads();
    expect(atTheEnd).toBeGreaterThan(4);
    await fixture.later(HOUR_MS - MINUTE_MS);
    expect(reads()).toBe(atTheEnd);
    await fixture.later(2 * MINUTE_MS);
    expect(reads()).toBe(atTheEnd + 1);
    expect(fixture.statesOf(page.paymentId)).toEqual([]);
    await fixture.send(page, { outcome: 'settle', ...LOST });
    await fixture.later(HOUR_MS);
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
  });

  test('that is not decided yet is waited for, and has no address where anybody could pay', async () => {
    const orderId = createName('ord');
    const page = await fixture.page({ orderId });
    await fixture.send(page, { outcome: 'wait', ...LOST });
    for (let look = 0; look < 2; look += 1) {
      fixture.clock.now += 6 * SECOND_MS;
      expect(await fixture.look(orderId)).toMatchObject([{ state: 'pending', url: null }]);
    }
    await fixture.send(page, { outcome: 'settle', ...LOST });
    fixture.clock.now += 6 * SECOND_MS;
    expect(await fixture.look(orderId)).toMatchObject([{ state: 'captured', url: null }]);
  });

  test('is looked at when the buyer comes back, at most once in five seconds, whichever instance he meets', async () => {
    const page = await fixture.page();
    const orderId = await orderOf(page);
    expect(await fixture.look(orderId)).toEqual([
      { paymentId: page.paymentId, state: 'pending', url: page.url, expiresAt: page.expiresAt },
    ]);
    await fixture.send(page, { outcome: 'pay', ...LOST });
    const reads = countReads();
    fixture.clock.now += 4 * SECOND_MS;
    expect((await fixture.look(orderId))[0]?.state).toBe('pending');
    expect(reads()).toBe(0);
    fixture.clock.now += SECOND_MS;
    const looked = await Promise.all([1, 2, 3, 4].map(() => fixture.look(orderId)));
    expect(reads()).toBe(1);
    expect(looked.flat().map(({ state }) => state)).toContain('captured');
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
    expect((await fixture.look(orderId))[0]).toMatchObject({ state: 'captured', url: null });
  });

  test('is shown as it is known while the provider does not answer', async () => {
    const page = await fixture.page();
    await fixture.send(page, { outcome: 'pay', ...LOST });
    let go: (() => void) | undefined;
    fixture.provider.disturb = async (_request, execute) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return execute();
    };
    expect((await fixture.look(await orderOf(page)))[0]?.state).toBe('pending');
    fixture.heal();
    go?.();
    await fixture.later(MINUTE_MS);
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
  });

  test.each([
    ['closed', 'close', 'expired'],
    ['declined', 'decline', undefined],
    ['left', 'cancel', undefined],
  ])('on a page that is %s is %s', async (_what, outcome, state) => {
    const page = await fixture.page();
    await fixture.send(page, { outcome });
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual(state === undefined ? [] : [state]);
  });

  test('that completes unpaid is asked for until it is final', async () => {
    const [paid, failed] = [await fixture.page(), await fixture.page()];
    for (const page of [paid, failed]) await fixture.send(page, { outcome: 'wait' });
    await fixture.later(2 * DAY_MS);
    expect([paid, failed].flatMap(({ paymentId }) => fixture.statesOf(paymentId))).toEqual([]);
    await fixture.send(paid, { outcome: 'settle', ...LOST });
    await fixture.send(failed, { outcome: 'fail', ...LOST });
    await fixture.later(HOUR_MS);
    expect(fixture.statesOf(paid.paymentId)).toEqual(['captured']);
    expect(fixture.statesOf(failed.paymentId)).toEqual(['failed']);
  });

  test('is reported once orders answers again, and is found once the provider does', async () => {
    const page = await fixture.page();
    fixture.orders.mishaps.set('reportProviderPayment', 'fails');
    await fixture.send(page, { outcome: 'pay' });
    await fixture.later().catch(() => undefined);
    expect(fixture.statesOf(page.paymentId)).toEqual([]);
    expect((await fixture.payment(page.paymentId))?.state).toBe('captured');
    fixture.orders.mishaps.clear();
    await fixture.later(MINUTE_MS);
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
  });

  test.each(['order.cancelled', 'order.expired', 'order.confirmed'])(
    'on a page of an order with %s is not possible any more',
    async (fact) => {
      const page = await fixture.page();
      fixture.world.unwanted.add(await orderOf(page));
      await fixture.deliver(fact, { orderId: await orderOf(page) });
      await fixture.later();
      expect(await fixture.send(page, { outcome: 'pay' })).toBe(409);
      expect(fixture.statesOf(page.paymentId)).toEqual(['expired']);
    },
  );

  test('on a page that a change of a confirmed order waits for stays possible', async () => {
    const page = await fixture.page();
    await fixture.deliver('order.confirmed', { orderId: await orderOf(page) });
    await fixture.later();
    expect(await fixture.send(page, { outcome: 'pay' })).toBe(303);
  });

  test('is not looked for when a partner’s order is confirmed, which has no page', async () => {
    const page = await fixture.page();
    await fixture.deliver('order.confirmed', { orderId: await orderOf(page), pointOfSale: null });
    await fixture.later();
    expect(await fixture.send(page, { outcome: 'pay' })).toBe(303);
  });

  test('of an order that does not exist stays due until it does', async () => {
    const page = await fixture.page();
    const orderId = await orderOf(page);
    fixture.world.unknown.add(orderId);
    await fixture.send(page, { outcome: 'pay' });
    await fixture.later();
    await fixture.later(DAY_MS);
    const { state, reported } = (await fixture.payment(page.paymentId)) ?? {};
    expect([state, reported]).toEqual(['captured', false]);
    fixture.world.unknown.delete(orderId);
    await fixture.later(HOUR_MS);
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
  });

  test('that comes after its page was to be closed is captured all the same', async () => {
    const page = await fixture.page();
    await fixture.send(page, { outcome: 'pay', ...LOST });
    await fixture.deliver('order.cancelled', { orderId: await orderOf(page) });
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
  });

  test('whose page orders does not want is closed by the next look, also of an order that does not exist', async () => {
    const [unwanted, unknown] = [await fixture.page(), await fixture.page()];
    fixture.world.unwanted.add(await orderOf(unwanted));
    fixture.world.unknown.add(await orderOf(unknown));
    await fixture.later(MINUTE_MS);
    for (const page of [unwanted, unknown]) expect(await fixture.send(page, { outcome: 'pay' })).toBe(409);
  });

  test('closes its page when it is asked to', async () => {
    const page = await fixture.page();
    expect(await fixture.closePage(page.paymentId)).toBe('expired');
    const paid = await fixture.page();
    await fixture.send(paid, { outcome: 'pay', ...LOST });
    expect(await fixture.closePage(paid.paymentId)).toBe('captured');
    fixture.provider.disturb = () => Promise.reject(new TypeError('fetch failed'));
    const later = await fixture.payment(page.paymentId);
    expect(later?.state).toBe('expired');
    fixture.heal();
  });
});
