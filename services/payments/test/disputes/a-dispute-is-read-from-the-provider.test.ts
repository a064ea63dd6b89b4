// rule commerce.3: A dispute is `payment.disputed`; an inquiry is none until money is taken | services/payments/src/provider/stripe.ts
import { expect, test } from '@jest/globals';
import { DAY_MS, describeOnEachEngine, MINUTE_MS } from '../fixture/fixture.ts';

describeOnEachEngine('a dispute', (fixture) => {
  const statesOf = (paymentId: string) =>
    (fixture.world.disputes.get(paymentId) ?? []).map((one) => (one as { readonly state: string }).state);

  test.each(['won', 'lost'])('is reported when it opens and when it is %s', async (end) => {
    const page = await fixture.paid();
    await fixture.send(page, { outcome: 'dispute', reason: 'product_not_received' });
    await fixture.later();
    expect(fixture.world.disputes.get(page.paymentId)).toEqual([
      { state: 'open', amount: 4_500, reason: 'product_not_received', at: expect.any(String) },
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
