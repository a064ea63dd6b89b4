// rule commerce.3: so lost, late, doubled and disordered webhooks do no harm | services/payments/src/webhooks/take.ts
// rule commerce.3: raw body, `Stripe-Signature` within 300 s (any of its `v1`), else 400 | services/payments/src/webhooks/take.ts
import { expect, test } from '@jest/globals';
import { createName, describeOnEachEngine, type Page } from '../fixture/fixture.ts';

const event = (type: string, object: object): string =>
  JSON.stringify({ id: createName('evt'), object: 'event', api_version: '2020-08-27', type, data: { object } });

const completed = ({ reference }: Page): string =>
  event('checkout.session.completed', { id: reference, object: 'checkout.session', payment_status: 'paid' });

describeOnEachEngine('a webhook', (fixture) => {
  const seconds = () => Math.floor(fixture.clock.now / 1_000);
  const sign = (payload: string, more: { secret?: string; timestamp?: number } = {}) =>
    fixture.sign(payload, { timestamp: seconds(), ...more });

  test('with a right signature of now makes the service look', async () => {
    const page = await fixture.page();
    await fixture.send(page, { outcome: 'pay', webhook: 'none' });
    const body = completed(page);
    expect(await fixture.webhook(body, sign(body))).toBe(200);
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual(['captured']);
  });

  test('that says what is not so changes nothing', async () => {
    const page = await fixture.page();
    const body = completed(page);
    expect(await fixture.webhook(body, sign(body))).toBe(200);
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual([]);
  });

  test('may have several signatures, of which one is right', async () => {
    const body = completed(await fixture.page());
    const [time, right] = sign(body).split(',');
    const wrong = `v1=${'0'.repeat(64)}`;
    expect(await fixture.webhook(body, [time, wrong, right].join(','))).toBe(200);
    expect(await fixture.webhook(body, [time, right, wrong].join(','))).toBe(200);
  });

  test.each([
    ['without a signature', () => ''],
    ['of another secret', (body: string) => sign(body, { secret: 'whsec_other' })],
    ['of another body', () => sign('{}')],
    ['signed an hour ago', (body: string) => sign(body, { timestamp: seconds() - 3_600 })],
    ['signed for in 301 seconds', (body: string) => sign(body, { timestamp: seconds() + 302 })],
    ['signed 301 seconds ago', (body: string) => sign(body, { timestamp: seconds() - 301 })],
    ['that is no header at all', () => 'v1'],
  ])('%s is 400', async (_what, signature) => {
    const body = completed(await fixture.page());
    expect(await fixture.webhook(body, signature(body))).toBe(400);
  });

  test.each([-299, 299])('signed %d seconds from now is taken', async (from) => {
    const body = completed(await fixture.page());
    expect(await fixture.webhook(body, sign(body, { timestamp: seconds() + from }))).toBe(200);
  });

  test('is read as it is, whatever its spelling', async () => {
    const body = ` {"type" : "checkout.session.completed",  "data":{"object":{"id":"cs_x"}}, "é":1e3} \n`;
    expect(await fixture.webhook(body, sign(body))).toBe(200);
  });

  test('of an unknown kind, of an unknown session or of a form of its own is 200, without an effect', async () => {
    for (const body of [
      event('customer.created', { id: 'cus_1' }),
      event('checkout.session.completed', { id: 'cs_of_another_shop' }),
      event('refund.updated', { id: 're_1', payment_intent: 'pi_of_another_shop' }),
      event('charge.dispute.created', { id: 'dp_1', payment_intent: null }),
      '{"object":"v2.core.event","type":"v1.billing.meter","id":"evt_1"}',
      'no JSON',
    ])
      expect(await fixture.webhook(body, sign(body))).toBe(200);
  });

  test('of an institution without keys, or without a webhook secret, is 400', async () => {
    const page = await fixture.page();
    const body = completed(page);
    expect(await fixture.webhook(body, sign(body), 'theatre')).toBe(400);
    await fixture.setKeys({ secretKey: 'sk_simulated_9' }, 'circus');
    expect(await fixture.webhook(body, sign(body), 'circus')).toBe(400);
  });

  test('names sessions of its institution alone', async () => {
    const page = await fixture.page();
    await fixture.send(page, { outcome: 'pay', webhook: 'none' });
    await fixture.setKeys({ secretKey: 'sk_simulated_9', webhookSecret: 'whsec_theirs' }, 'theatre');
    const body = completed(page);
    expect(await fixture.webhook(body, sign(body, { secret: 'whsec_theirs' }), 'theatre')).toBe(200);
    await fixture.later();
    expect(fixture.statesOf(page.paymentId)).toEqual([]);
  });

  test('that comes twice, late and in another order reports once', async () => {
    const page = await fixture.page();
    const body = completed(page);
    await fixture.send(page, { outcome: 'pay' });
    await fixture.later();
    for (let times = 0; times < 3; times += 1) await fixture.webhook(body, sign(body));
    const expired = event('checkout.session.expired', { id: page.reference });
    await fixture.webhook(expired, sign(expired));
    await fixture.later();
    expect(fixture.world.payments.get(page.paymentId)?.filter(({ status }) => status === 'captured')).toHaveLength(1);
  });
});
