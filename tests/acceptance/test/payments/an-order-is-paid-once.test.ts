// rule commerce.3: So one order is paid once, however many pages were open | services/orders/src/domain/providers.ts
import { useFixture } from '@boxoffice/service/testkit';
import { afterEach, expect, test } from '@jest/globals';
import { compareBooks } from './books.ts';
import { openHouse, PRICE } from './house.ts';
import { createShopper, createTrouble, type Shopper } from './shopper.ts';

const house = useFixture(openHouse);
afterEach(() => house.disturb(undefined));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const pay = (session: string | undefined, fields: Readonly<Record<string, string>> = {}) =>
  house.act(session ?? '', { outcome: 'pay', ...fields });
/** What became of the order, and what the provider has refunded of each page. */
const outcomeOf = async ({ orderId, sessions }: Shopper) => {
  const order = await house.orderOf(orderId);
  const pages = await Promise.all(sessions.map((id) => house.sessionOf(id)));
  const refunded = pages.map(({ refunds }) =>
    refunds.reduce((sum, { amount, status }) => sum + (status === 'failed' ? 0 : amount), 0),
  );
  return { state: order?.state, refunded };
};

test('two pages paid at once: one sells, the other goes back', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  await shopper.openAnother(false);
  expect(shopper.sessions).toHaveLength(2);
  expect(await Promise.all(shopper.sessions.map((id) => pay(id)))).toEqual([303, 303]);
  await house.settle();
  await house.pass(MINUTE);
  const { state, refunded } = await outcomeOf(shopper);
  expect(state).toBe('confirmed');
  expect(refunded.toSorted((a, b) => a - b)).toEqual([0, PRICE]);
  expect(await compareBooks(house, shopper)).toEqual([]);
});

test('another try closes the page before it, which nobody can pay any more', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  await shopper.openAnother(true);
  expect(await pay(shopper.sessions[0])).toBe(409);
  expect(await pay(shopper.sessions[1])).toBe(303);
  await house.settle();
  expect(await outcomeOf(shopper)).toEqual({ state: 'confirmed', refunded: [0, 0] });
  expect(await compareBooks(house, shopper)).toEqual([]);
});

test('of tries at the same time one page stays open, and none is told that the places are gone', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  const tries = Array.from({ length: 8 }, () => {
    house.clock.now += 5;
    return shopper.openAnother(true);
  });
  const reasons = (await Promise.all(tries)).map((answer) => answer?.data?.reason);
  for (const reason of reasons) expect([undefined, null, 'busy']).toContain(reason);
  const countOpen = async () =>
    (await Promise.all(shopper.sessions.map((id) => house.sessionOf(id)))).filter(({ status }) => status === 'open')
      .length;
  // On a busy machine the one that stays open may have come too late for its answer.
  if ((await countOpen()) === 0) await shopper.openAnother(true);
  expect(await countOpen()).toBe(1);
  expect((await house.orderOf(shopper.orderId))?.state).toBe('payment_pending');
});

test('paid at the desk: the open page is closed, and money that came all the same goes back', async () => {
  const [quick, late] = [createShopper(house), createShopper(house)];
  for (const one of [quick, late]) await one.buy();
  expect(await quick.payAtDesk(PRICE)).toBe(201);
  await house.settle();
  expect(await pay(quick.sessions[0])).toBe(409);
  await pay(late.sessions[0], { webhook: 'none' });
  await late.payAtDesk(PRICE);
  await house.settle();
  await house.pass(MINUTE);
  await house.pass(6 * MINUTE);
  expect(await outcomeOf(late)).toEqual({ state: 'confirmed', refunded: [PRICE] });
  expect(await compareBooks(house, late)).toEqual([]);
});

test('money that came after the cancellation goes back', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  await pay(shopper.sessions[0], { webhook: 'none' });
  expect((await shopper.cancel()).data.outcome).toBe('done');
  await house.settle();
  await house.pass(MINUTE);
  await house.pass(6 * MINUTE);
  expect(await outcomeOf(shopper)).toEqual({ state: 'cancelled', refunded: [PRICE] });
  expect(await compareBooks(house, shopper)).toEqual([]);
});

test('a refund that fails late is credit again, and is not repeated by itself', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  await shopper.openAnother(false);
  for (const id of shopper.sessions) await pay(id);
  await house.settle();
  await house.pass(MINUTE);
  const { refunded } = await outcomeOf(shopper);
  const second = shopper.sessions[refunded.indexOf(PRICE)] ?? '';
  expect(await house.act(second, { outcome: 'refund_failed' })).toBe(200);
  await house.settle();
  await house.pass(2 * HOUR);
  await house.pass(26 * HOUR);
  expect((await house.sessionOf(second)).refunds.map(({ status }) => status)).toEqual(['failed']);
  expect((await house.orderOf(shopper.orderId))?.refunds.map(({ status }) => status)).toEqual(['failed']);
  expect(await compareBooks(house, shopper)).toEqual([]);
});

test('a page that is paid while it is being closed is sold', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  house.clock.now += 31 * MINUTE;
  house.disturb(async ({ path }, execute) => {
    if (path.endsWith('/expire')) await pay(shopper.sessions[0], { webhook: 'none' });
    return execute();
  });
  expect(await house.becomes(shopper.orderId, 'confirmed')).toBe('confirmed');
  house.disturb(undefined);
  await house.pass(6 * MINUTE);
  expect(await compareBooks(house, shopper)).toEqual([]);
});

test('webhooks that are doubled, late and disordered sell once', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  const [id] = shopper.sessions;
  await pay(id);
  expect(await house.becomes(shopper.orderId, 'confirmed')).toBe('confirmed');
  for (const type of ['checkout.session.expired', 'checkout.session.completed'] as const)
    for (let time = 0; time < 2; time += 1) expect(await house.sendWebhook({ type, object: { id } })).toBe(200);
  await house.pass(2 * HOUR);
  expect(await house.sendWebhook({ type: 'checkout.session.completed', object: { id } })).toBe(200);
  await house.settle();
  expect(await compareBooks(house, shopper)).toEqual([]);
  expect((await house.orderOf(shopper.orderId))?.payments).toHaveLength(1);
});

test('a refund whose answers are lost, or whose process is killed, is made once, also after a day', async () => {
  for (const trouble of ['lost', 'broken', 'broken after effect', 'away', 'busy'] as const) {
    const shopper = createShopper(house);
    await shopper.buy();
    await pay(shopper.sessions[0]);
    await house.settle();
    house.disturb(createTrouble(trouble, 3));
    house.killPayments(trouble === 'lost' ? 5 : 9);
    expect((await shopper.refund(1_000)).status).toBe(201);
    await house.settle();
    await house.pass(25 * HOUR);
    await house.pass(10 * MINUTE);
    await house.pass(HOUR);
    house.disturb(undefined);
    await house.pass(6 * MINUTE);
    await house.pass(HOUR);
    await house.pass(25 * HOUR);
    expect(
      (await house.sessionOf(shopper.sessions[0] ?? '')).refunds.map(({ amount, status }) => [amount, status]),
    ).toEqual([[1_000, 'succeeded']]);
    expect(await compareBooks(house, shopper)).toEqual([]);
  }
});
