// rule commerce.3: The provider's answer is the truth, a webhook or a returning browser only a hint | services/payments/src/pages/read.ts
// rule commerce.3: A killed process never charges or refunds twice, and no refund is lost | services/payments/src/refunds/refund.ts
import assert from 'node:assert/strict';
import { selectHistories, useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareBooks } from './books.ts';
import { openHouse, PRICE } from './house.ts';
import { createShopper, createTrouble, type Shopper, TROUBLES } from './shopper.ts';

const house = useFixture(openHouse);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const WAITS = [6 * SECOND, 40 * SECOND, 3 * MINUTE, 16 * MINUTE, 31 * MINUTE, 35 * MINUTE, 2 * HOUR, 25 * HOUR];
/** Longer than any delay of work that has failed, and than the end of every page. */
const REST = [2 * MINUTE, 6 * MINUTE, 6 * MINUTE, 40 * MINUTE, 70 * MINUTE, 70 * MINUTE, 26 * HOUR, 26 * HOUR];

const KINDS = ['checkout.session.completed', 'checkout.session.expired', 'charge.dispute.closed'] as const;

/** Weighted by how often they stand here. */
const EVENTS = [
  ...['pay', 'pay', 'pay', 'pay', 'pay', 'pay wrong', 'decline', 'close', 'wait', 'settle', 'fail'],
  ...['dispute', 'dispute_won', 'dispute_lost', 'refund_done', 'refund_failed'],
  ...['webhook', 'look', 'look', 'try', 'try', 'tab', 'cancel', 'cancel', 'house cancels', 'desk'],
  ...['refund', 'refund', 'pass', 'pass', 'pass', 'pass', 'trouble', 'trouble', 'kill', 'kill', 'settled', 'settled'],
] as const;

interface Event {
  readonly kind: (typeof EVENTS)[number];
  readonly number: number;
  readonly flag: boolean;
}

const event: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom(...EVENTS),
  number: fc.nat({ max: 40 }),
  flag: fc.boolean(),
});

const toEvent = (kind: Event['kind'], number = 0): Event => ({ kind, number, flag: false });

/** Most of what can happen to money needs some. */
const beginning: fc.Arbitrary<readonly Event[]> = fc.constantFrom<(readonly Event[])[]>(
  [],
  [toEvent('pay'), toEvent('settled')],
  [toEvent('pay', 2), toEvent('settled'), toEvent('refund', 5)],
  [toEvent('tab'), toEvent('pay'), toEvent('pay', 1)],
);

const REFUNDS = ['done', 'done', 'pending', 'failed'];

const happen = async (shopper: Shopper, { kind, number, flag }: Event): Promise<unknown> => {
  const session = shopper.sessions[number % Math.max(1, shopper.sessions.length)];
  const act = (outcome: string, fields: Readonly<Record<string, string>> = {}) =>
    session && house.act(session, { outcome, ...(flag && { webhook: 'none' }), ...fields });
  switch (kind) {
    case 'pay':
      return act('pay', { refunds: REFUNDS[number % REFUNDS.length] ?? 'done' });
    case 'pay wrong':
      return act('pay', flag ? { amount: `${PRICE - 100}` } : { currency: 'eur' });
    case 'webhook':
      return session && house.sendWebhook({ type: KINDS[number % KINDS.length] ?? KINDS[0], object: { id: session } });
    case 'look':
      return shopper.look();
    case 'try':
    case 'tab':
      return shopper.openAnother(kind === 'try');
    case 'cancel':
      return shopper.cancel();
    case 'house cancels':
      return shopper.cancelAsHouse();
    case 'desk':
      return shopper.payAtDesk(PRICE, flag);
    case 'refund':
      return shopper.refund(flag ? PRICE : 100 * (1 + (number % 20)));
    case 'pass':
      house.clock.now += WAITS[number % WAITS.length] ?? 0;
      return undefined;
    case 'trouble':
      house.disturb(createTrouble(TROUBLES[number % TROUBLES.length] ?? 'away', 1 + (number % 4)));
      return undefined;
    case 'kill':
      return house.killPayments(number % 12);
    case 'settled':
      return house.settle();
    default:
      return act(kind);
  }
};

/** Ends what the bank has not decided, and waits until nothing can change any more. */
const comeToRest = async ({ sessions }: Shopper): Promise<void> => {
  house.disturb(undefined);
  await house.settle();
  for (const id of sessions) {
    await house.act(id, { outcome: 'settle', webhook: 'none' });
    while ((await house.act(id, { outcome: 'refund_done', webhook: 'none' })) === 200);
  }
  for (const ms of REST) {
    await house.pass(ms);
    for (const id of sessions) while ((await house.act(id, { outcome: 'refund_done', webhook: 'none' })) === 200);
  }
};

test('whatever happens, every figure is equal on both sides, and money has a ticket or goes back', async () => {
  const events = fc.array(event, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(beginning, events, async (begin, events) => {
    const shopper = createShopper(house);
    await shopper.buy();
    for (const one of [...begin, ...events]) await happen(shopper, one).catch(() => undefined);
    await comeToRest(shopper);
    assert.deepEqual(await compareBooks(house, shopper), []);
  });
  await fc.assert(property, selectHistories({ numRuns: 15, interruptAfterTimeLimit: 120_000 }));
});

test('books that differ are noticed', async () => {
  const shopper = createShopper(house);
  await shopper.buy();
  await house.act(shopper.sessions[0] ?? '', { outcome: 'pay', webhook: 'none' });
  expect(await compareBooks(house, shopper)).not.toEqual([]);
  await house.settle();
  await comeToRest(shopper);
  expect(await compareBooks(house, shopper)).toEqual([]);
});
