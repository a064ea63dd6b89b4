import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Hall } from '../fixture/catalog.ts';
import { createCodeDiscount } from '../fixture/discounts.ts';
import { describeOnEachEngine, type Fixture, type Order } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  createCartId,
  createContact,
  createOrderInHall,
  pay,
  read,
  requireDone,
} from '../fixture/orders.ts';

/** A command on an order with two places of four: its body, what prepares the order, and what is left of the hall. */
interface Command {
  readonly path: (order: Order) => string;
  readonly method?: 'PATCH';
  readonly body: (order: Order, hall: Hall) => object;
  readonly prepare?: (fixture: Fixture, path: string) => Promise<unknown>;
  readonly free?: number;
}

const named = { beneficiary: { firstName: 'Clara', lastName: 'Haskil' } };
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

const commands: Readonly<Record<string, Command>> = {
  'an extension': { path: () => '/extension', body: () => ({ minutes: 30 }) },
  'a reservation': { path: () => '/reservation', body: () => ({ dueAt: inAnHour() }) },
  'a confirmation': { path: () => '/confirmation', body: () => ({ onAccount: true }) },
  'a part payment': { path: () => '/payments', body: () => ({ method: 'card', amount: 1, status: 'captured' }) },
  'a pending payment': { path: () => '/payments', body: () => ({ method: 'card', amount: 1, status: 'pending' }) },
  'a payment in full': { path: () => '/payments', body: () => ({ method: 'card', amount: 2_000, status: 'captured' }) },
  'a refund': {
    path: () => '/refunds',
    body: () => ({ amount: 1, method: 'card' }),
    prepare: (fixture, path) => pay(fixture, path, { amount: 10 }),
  },
  'more lines': { path: () => '/lines', body: (_, hall) => ({ items: [hall.item(1)] }), free: 1 },
  'a name': { path: ({ lines }) => `/lines/${lines[0]?.id}`, method: 'PATCH', body: () => named },
  'a name of a confirmed order': {
    path: ({ lines }) => `/lines/${lines[0]?.id}`,
    method: 'PATCH',
    body: () => named,
    prepare: (fixture, path) => fixture.confirm(path),
  },
  details: { path: () => '', method: 'PATCH', body: () => ({ externalReference: 'agency-4711' }) },
  'a cancellation': { path: () => '/cancellation', body: () => ({ reason: 'ill' }) },
};

describeOnEachEngine('of eight requests with one key at two instances', (fixture) => {
  let other: Pick<Fixture, 'call' | 'shop'>;
  beforeAll(async () => {
    other = await fixture.another();
    // The attempts overtake one another.
    for (const id of ['holdPlaces', 'holdUses', 'extendHold', 'sellHold', 'releaseHold'])
      fixture.catalog.before.set(id, () => delay(randomInt(20)));
    fixture.tickets.before.set('issueTickets', () => delay(randomInt(20)));
  });

  const sent = (
    instances: readonly Pick<Fixture, 'call'>[],
    method: string,
    path: string,
    request: { readonly body: object; readonly ifMatch?: string; readonly institution?: string },
  ) => sendEightAtOnce(instances, (on, key) => on.call(method, path, { ...request, key }));

  describe.each([
    ['one instance', 1],
    ['two instances', 2],
  ] as const)('at %s', (_name, count) => {
    const instances = () => [fixture, other].slice(0, count);

    test('a creation makes one order', async () => {
      const hall = fixture.catalog.hall(16);
      const reply = await sent(instances(), 'POST', '', { body: { items: [hall.item(2)] } });
      expect(reply).toMatchObject({ status: 201, data: { state: 'open' } });
      expect(fixture.catalog.count(hall)).toEqual({ free: 14, held: 2, sold: 0 });
    });

    test('a creation has the last uses of its code, which its first attempt has claimed', async () => {
      const institution = `i${randomUUID()}`;
      fixture.catalog.price(institution, { discounts: [createCodeDiscount('LAST', { amount: 300 })] });
      const [hall, uses] = [fixture.catalog.hall(16, { institution }), fixture.catalog.limit('cod_LAST', 2)];
      const body = { items: [hall.item(2)], codes: ['LAST'] };
      const reply = await sent(instances(), 'POST', '', { body, institution });
      expect(reply).toMatchObject({ status: 201, data: { total: 1_400 } });
      expect(fixture.catalog.count(hall)).toEqual({ free: 14, held: 2, sold: 0 });
      expect(fixture.catalog.count(uses)).toEqual({ free: 0, held: 2, sold: 0 });
    });

    test('an addition to a cart holds its places once, and a checkout buys it once', async () => {
      const hall = fixture.catalog.hall(16);
      const [orderId, request] = [createCartId(), { requestId: randomUUID(), address: randomUUID() }];
      const eight = Array.from({ length: 8 }, (_, n) => instances()[n % count] ?? fixture);
      const added = await Promise.all(eight.map((on) => add(on, orderId, [hall.item(2)], request)));
      for (const outcome of added) expect(requireDone(outcome).lines).toHaveLength(2);
      expect(fixture.catalog.count(hall)).toEqual({ free: 14, held: 2, sold: 0 });
      const body = { requestId: randomUUID(), contactNumber: createContact(fixture) };
      const bought = await Promise.all(eight.map((on) => buyCart(on, `/${orderId}`, body)));
      for (const outcome of bought) expect(requireDone(outcome).state).toBe('confirmed');
      expect(fixture.catalog.count(hall)).toEqual({ free: 14, held: 0, sold: 2 });
    });

    test.each(Object.entries(commands))(
      '%s takes effect once',
      async (_what, { path, method, body, prepare, free = 2 }) => {
        const { order, hall, path: at } = await createOrderInHall(fixture, 2, {});
        await prepare?.(fixture, at);
        const before = await read(fixture, at);
        // What an attempt writes in between must not refuse the others.
        const request = { body: body(order, hall), ifMatch: `"${before.version}"` };
        const reply = await sent(instances(), method ?? 'POST', `${at}${path(order)}`, request);
        expect(reply?.status).toBeLessThan(300);
        const after = await read(fixture, at);
        expect(after.version).toBeGreaterThan(before.version);
        expect(fixture.catalog.count(hall).free).toBe(free);
      },
    );
  });
});
