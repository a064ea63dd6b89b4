// rule commerce.3: What comes back with another amount or currency sells nothing | services/payments/src/pages/report.ts
import { expect, test } from '@jest/globals';
import { acknowledgeMismatch } from '../../src/operator.ts';
import { createName, describeOnEachEngine, HOUR_MS } from '../fixture/fixture.ts';

describeOnEachEngine('money', (fixture) => {
  test.each([
    ['more', { amount: '4501' }],
    ['less', { amount: '4499' }],
    ['another currency', { currency: 'eur' }],
  ] as const satisfies readonly (readonly [string, Readonly<Record<string, string>>])[])(
    'of %s sells nothing, is logged and counted, and goes back as it came',
    async (_what, form) => {
      const orderId = createName('ord');
      const page = await fixture.paid({ orderId }, form);
      expect(fixture.statesOf(page.paymentId)).toEqual(['failed']);
      const { mismatch, reference } = (await fixture.payment(page.paymentId)) ?? {};
      expect(mismatch).toMatchObject({ amount: 'amount' in form ? Number(form.amount) : 4_500, acknowledgedAt: null });
      const [refund] = await fixture.context.refunds.of('opera').find({ where: { paymentId: page.paymentId } });
      expect(refund).toMatchObject({ purpose: 'mismatch', state: 'done', request: { amount: mismatch?.amount } });
      expect(fixture.refundStatesOf(refund?.id ?? '')).toEqual([]);
      expect(fixture.logged.filter(({ fields }) => fields?.session === reference)).toHaveLength(1);
      expect((await fixture.metrics.text()).text).toMatch(/payments_mismatches_total [1-9]/);
      const shown = await fixture.show(page);
      expect(shown).toContain('data-money="refunded"');
    },
  );

  test('that could not go back is logged, and has to be acknowledged once more', async () => {
    const page = await fixture.paid({}, { amount: '9901' });
    const reference = page.reference;
    await acknowledgeMismatch(fixture.store, reference);
    expect((await fixture.payment(page.paymentId))?.mismatch?.acknowledgedAt).toEqual(expect.any(String));
    await fixture.send(page, { outcome: 'refund_failed' });
    await fixture.later();
    expect((await fixture.payment(page.paymentId))?.mismatch?.acknowledgedAt).toBeNull();
    expect(fixture.countLogged('the refund of money of another amount')).toBe(1);
  });

  test('goes back once although the process dies at each step', async () => {
    const page = await fixture.page();
    await fixture.send(page, { outcome: 'pay', amount: '9900' });
    fixture.provider.disturb = async (request, execute) => {
      const answer = await execute();
      if (request.path === '/v1/refunds' && request.method === 'POST') throw new TypeError('the process died');
      return answer;
    };
    await fixture.later();
    await fixture.later();
    fixture.heal();
    await fixture.later(HOUR_MS);
    expect(await fixture.countRefunds(page)).toBe(1);
  });
});
