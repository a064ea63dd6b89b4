// rule commerce.3: A dispute is `payment.disputed`; an inquiry is none until money is taken | services/payments/src/provider/stripe.ts
import { expect, test } from '@jest/globals';
import { DAY_MS, describeOnEachEngine, HOUR_MS, MINUTE_MS } from '../fixture/fixture.ts';

describeOnEachEngine('a dispute', (fixture) => {
  const statesOf = (paymentId: string) =>
    (fixture.world.disputes.get(paymentId) ?? []).map((one) => (one as { readonly state: string }).state);

  test.each(['won', 'lost'])('is reported when it opens and when it is %s', async (end) => {
    const page = await fixture.paid();
    await fixture.send(page, { outcome: 'dispute', reason: 'product_not_received' });
    await fixture.later();
    expect(fixture.world.disputes.get(page.paymentId)).toEqual([
      { state: 'open', amount: 4_500, lost: 0, reason: 'product_not_received', at: expect.any(String) },
    ]);
    await fixture.send(page, { outcome: `dispute_${end}` });
    await fixture.later();
    expect(statesOf(page.paymentId)).toEqual(['open', end]);
    expect((await fixture.metrics.text()).text).toMatch(/payments_disputes_total\{state="open"\} [1-9]/);
  });

  test('may be of a part', async () => {
    const page = await fixture.paid();
    await fixture.send(page, { outcome: 'dispute', amount: '1200' });
    await fixture.later();
    expect(fixture.world.disputes.get(page.paymentId)?.at(-1)).toMatchObject({ amount: 1_200 });
  });

  test('is none while it is an inquiry', async () => {
    const page = await fixture.paid();
    await fixture.send(page, { outcome: 'dispute', inquiry: 'true' });
    await fixture.later();
    expect(statesOf(page.paymentId)).toEqual([]);
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later();
    expect(statesOf(page.paymentId)).toEqual(['open']);
  });

  test('whose webhook is lost is found by a later look', async () => {
    const page = await fixture.paid();
    await fixture.send(page, { outcome: 'dispute', webhook: 'none' });
    await fixture.later(8 * DAY_MS);
    expect(statesOf(page.paymentId)).toEqual(['open']);
  });

  /** What the provider lists as disputes of a payment, the newest first. */
  const list = (...disputes: readonly { status: string; amount: number; currency?: string }[]) => {
    const data = disputes.map((one, index) => ({
      ...{ id: `dp_${index}`, object: 'dispute', currency: 'chf', reason: 'general', created: 1_000 - index, ...one },
    }));
    fixture.provider.disturb = async (request, execute) =>
      request.path === '/v1/disputes'
        ? new Response(JSON.stringify({ object: 'list', url: '/v1/disputes', data, has_more: false }))
        : execute();
  };
  const lastOf = (paymentId: string) => fixture.world.disputes.get(paymentId)?.at(-1);

  test('that follows a lost one, or is beside others, hides no money that is lost', async () => {
    const page = await fixture.paid();
    list({ status: 'lost', amount: 1_000 });
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later();
    expect(lastOf(page.paymentId)).toMatchObject({ state: 'lost', amount: 1_000, lost: 1_000 });
    list({ status: 'needs_response', amount: 500 }, { status: 'lost', amount: 1_000 });
    await fixture.later(8 * DAY_MS);
    expect(lastOf(page.paymentId)).toMatchObject({ state: 'open', amount: 500, lost: 1_000 });
    list({ status: 'lost', amount: 500 }, { status: 'lost', amount: 1_000 });
    await fixture.later(8 * DAY_MS);
    expect(lastOf(page.paymentId)).toMatchObject({ state: 'lost', amount: 500, lost: 1_500 });
    list({ status: 'won', amount: 300 }, { status: 'needs_response', amount: 200 }, { status: 'lost', amount: 1_000 });
    await fixture.later(30 * DAY_MS);
    expect(lastOf(page.paymentId)).toMatchObject({ state: 'open', amount: 200, lost: 1_000 });
  });

  test('of another amount than before is reported again', async () => {
    const page = await fixture.paid();
    list({ status: 'needs_response', amount: 500 });
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later();
    list({ status: 'needs_response', amount: 700 });
    await fixture.later(8 * DAY_MS);
    expect(fixture.world.disputes.get(page.paymentId)).toEqual([
      expect.objectContaining({ amount: 500 }),
      expect.objectContaining({ amount: 700 }),
    ]);
  });

  test('in another currency is of the payment’s amount, and is logged', async () => {
    const page = await fixture.paid();
    list({ status: 'needs_response', amount: 9, currency: 'jpy' });
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later();
    expect(lastOf(page.paymentId)).toMatchObject({ state: 'open', amount: 4_500, lost: 0 });
    expect(fixture.countLogged('a dispute is in another currency')).toBe(1);
  });

  test('that stays open is asked for every week, without an end', async () => {
    const page = await fixture.paid();
    list({ status: 'needs_response', amount: 500 });
    await fixture.send(page, { outcome: 'dispute' });
    for (let weeks = 0; weeks < 20; weeks += 1) await fixture.later(8 * DAY_MS);
    list({ status: 'lost', amount: 500 });
    await fixture.later(8 * DAY_MS);
    expect(statesOf(page.paymentId)).toEqual(['open', 'lost']);
    fixture.heal();
    expect((await fixture.payment(page.paymentId))?.due).toBeUndefined();
  });

  test('of a payment that its order does not have stays due until it has it', async () => {
    const page = await fixture.paid();
    fixture.world.unknown.add(page.paymentId);
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later();
    expect((await fixture.payment(page.paymentId))?.reported).toBe(false);
    fixture.world.unknown.delete(page.paymentId);
    await fixture.later(HOUR_MS);
    expect(statesOf(page.paymentId)).toEqual(['open']);
  });

  test('is reported once orders answers again', async () => {
    const page = await fixture.paid();
    fixture.orders.mishaps.set('reportDispute', 'fails');
    await fixture.send(page, { outcome: 'dispute' });
    await fixture.later();
    expect(statesOf(page.paymentId)).toEqual([]);
    fixture.orders.mishaps.clear();
    await fixture.later(MINUTE_MS);
    expect(statesOf(page.paymentId)).toEqual(['open']);
  });
});
