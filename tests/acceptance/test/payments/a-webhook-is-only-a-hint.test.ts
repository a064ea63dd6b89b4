// rule commerce.3: so lost, late, doubled and disordered webhooks do no harm | services/payments/src/webhooks/take.ts
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { compareBooks } from './books.ts';
import { openHouse, PRICE } from './house.ts';
import { createShopper, createTrouble, type Shopper } from './shopper.ts';

const house = useFixture(openHouse);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const buy = async (): Promise<Shopper & { readonly session: string }> => {
  const shopper = createShopper(house);
  await shopper.buy();
  const [session = ''] = shopper.sessions;
  return { ...shopper, session };
};
const stateOf = async ({ orderId }: Shopper) => (await house.orderOf(orderId))?.state;
const pay = ({ session }: { readonly session: string }, fields: Readonly<Record<string, string>> = {}) =>
  house.act(session, { outcome: 'pay', ...fields });
const completed = (id: string, more: object = {}) => ({
  type: 'checkout.session.completed' as const,
  object: { id, object: 'checkout.session', payment_status: 'paid', status: 'complete', ...more },
});
test('a webhook that says paid, of a page that is not, sells nothing', async () => {
  const shopper = await buy();
  expect(await house.sendWebhook(completed(shopper.session, { amount_total: PRICE }))).toBe(200);
  await house.settle();
  expect(await stateOf(shopper)).toBe('payment_pending');
});

test('one that is forged, changed, of another secret, signed an hour ago or in an hour is refused', async () => {
  const shopper = await buy();
  await pay(shopper, { webhook: 'none' });
  const webhook = completed(shopper.session);
  expect(await house.sendWebhook({ ...webhook, secret: 'whsec_of_a_stranger' })).toBe(400);
  expect(await house.sendWebhook({ ...webhook, change: (body) => body.replace('paid', 'PAID') })).toBe(400);
  for (const ms of [HOUR, 301 * SECOND, -HOUR])
    expect(await house.sendWebhook({ ...webhook, at: house.clock.now - ms })).toBe(400);
  await house.settle();
  expect(await stateOf(shopper)).toBe('payment_pending');
  expect(await house.sendWebhook({ ...webhook, at: house.clock.now - 299 * SECOND })).toBe(200);
  expect(await house.becomes(shopper.orderId, 'confirmed')).toBe('confirmed');
});

test('one of another institution is refused, and of an unknown page or kind it is taken without effect', async () => {
  const shopper = await buy();
  await pay(shopper, { webhook: 'none' });
  expect(await house.sendWebhook({ ...completed(shopper.session), institution: 'museum' })).toBe(400);
  expect(await house.sendWebhook(completed('cs_simulated_of_nobody'))).toBe(200);
  expect(await house.sendWebhook({ type: 'customer.created', object: { id: shopper.session } })).toBe(200);
  await house.settle();
  expect(await stateOf(shopper)).toBe('payment_pending');
});

test('doubled, late and disordered ones sell once', async () => {
  const shopper = await buy();
  await pay(shopper);
  await house.settle();
  for (const type of ['checkout.session.expired', 'checkout.session.completed'] as const)
    for (let time = 0; time < 2; time += 1)
      expect(await house.sendWebhook({ ...completed(shopper.session), type })).toBe(200);
  await house.pass(2 * HOUR);
  expect(await house.sendWebhook(completed(shopper.session))).toBe(200);
  await house.settle();
  expect(await compareBooks(house, shopper)).toEqual([]);
  expect((await house.orderOf(shopper.orderId))?.payments).toHaveLength(1);
});

test('when every one is lost, the payment is found by the next look, and at once when the buyer comes back', async () => {
  const [alone, back] = [await buy(), await buy()];
  for (const one of [alone, back]) expect(await pay(one, { webhook: 'none' })).toBe(303);
  await house.settle();
  expect(await stateOf(back)).toBe('payment_pending');
  await back.look();
  expect(await house.becomes(back.orderId, 'confirmed')).toBe('confirmed');
  expect(await stateOf(alone)).toBe('payment_pending');
  await house.pass(31 * SECOND);
  expect(await house.becomes(alone.orderId, 'confirmed')).toBe('confirmed');
});

test('a provider that is away, slow, busy or broken delays the sale and loses nothing', async () => {
  for (const trouble of ['away', 'lost', 'busy', 'broken', 'broken after effect'] as const) {
    const shopper = await buy();
    house.disturb(createTrouble(trouble, 5));
    await pay(shopper);
    await house.settle();
    expect(await stateOf(shopper)).toBe('payment_pending');
    house.disturb(undefined);
    await house.pass(6 * MINUTE);
    expect(await house.becomes(shopper.orderId, 'confirmed')).toBe('confirmed');
  }
});

test('a page whose opening failed is not sold, and the cart stays', async () => {
  for (const trouble of ['away', 'lost', 'busy', 'broken', 'refuses keys'] as const) {
    const shopper = createShopper(house);
    house.disturb(createTrouble(trouble, 1));
    expect(await shopper.buy()).toBeUndefined();
    expect(await stateOf(shopper)).toBe('open');
    house.disturb(undefined);
  }
});

test('a page that is paid while it is being closed is sold', async () => {
  const shopper = await buy();
  house.clock.now += 31 * MINUTE;
  house.disturb(async ({ path }, execute) => {
    if (path.endsWith('/expire')) await pay(shopper, { webhook: 'none' });
    return execute();
  });
  expect(await house.becomes(shopper.orderId, 'confirmed')).toBe('confirmed');
  house.disturb(undefined);
  await house.pass(6 * MINUTE);
  expect(await compareBooks(house, shopper)).toEqual([]);
});

test('a page that nobody pays ends: its payment fails, and the places are free after the grace period', async () => {
  const shopper = await buy();
  await house.pass(31 * MINUTE);
  expect(await pay(shopper)).toBe(409);
  expect((await house.orderOf(shopper.orderId))?.payments[0]).toMatchObject({ status: 'failed', ended: 'expired' });
  await house.pass(2 * MINUTE);
  expect(['expired', 'open']).toContain(await stateOf(shopper));
});

test('another amount or currency sells nothing and goes back as it came', async () => {
  for (const [name, value] of [
    ['amount', '100'],
    ['amount', '250000'],
    ['currency', 'eur'],
  ] as const) {
    const shopper = await buy();
    expect(await pay(shopper, { [name]: value })).toBe(303);
    await house.settle();
    await house.pass(MINUTE);
    expect(await stateOf(shopper)).not.toBe('confirmed');
    const { payment, refunds } = await house.sessionOf(shopper.session);
    expect(refunds.map(({ amount, status }) => [amount, status])).toEqual([[payment?.amount, 'succeeded']]);
    const order = await house.orderOf(shopper.orderId);
    expect(order?.payments[0]?.status).toBe('failed');
    expect(order?.refunds).toEqual([]);
    expect(await compareBooks(house, shopper)).toEqual([]);
  }
});
