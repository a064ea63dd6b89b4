import { randomInt, randomUUID } from 'node:crypto';
import { type Mishap, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Hall } from '../fixture/catalog.ts';
import { engines, type Fixture, type Order, openFixture, type Reply } from '../fixture/fixture.ts';
import { newOrder, pay, read } from '../fixture/orders.ts';

const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

describe.each(engines)('concurrent commands keep orders and stock consistent, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { paymentGraceSeconds: 1 }));

  let other: Pick<Fixture, 'call'>;
  beforeAll(async () => {
    other = await fixture.another();
  });

  const call: Fixture['call'] = (...args) => pick([fixture, other]).call(...args);

  /** Waits until due sales have ended, deadlines have passed, and the catalog has received every event. */
  const settle = async () => {
    fixture.catalog.mishaps.clear();
    for (const later of [20_000, 40_000, 3_700_000]) await fixture.later(later);
    const published = async () => {
      const [pending] = await fixture.store.outbox.pending(1);
      return pending === undefined;
    };
    while (!(await published())) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const fact of fixture.facts) fixture.catalog.receive(fact);
  };

  /** Expects that orders and stock agree about the sold places. */
  const expectConsistent = async (orders: readonly Order[], halls: readonly Hall[]) => {
    const now = await Promise.all(orders.map(({ id }) => read(fixture, `/${id}`)));
    for (const { id, state, lines } of now) {
      const sold = fixture.catalog.placesOf(id).filter((place) => place.state === 'sold');
      const expected = state === 'confirmed' ? lines.map(({ place }) => place.id) : [];
      expect([id, state, sold.map((place) => place.id).sort()]).toEqual([id, state, expected.sort()]);
      expect(['confirmed', 'expired', 'cancelled']).toContain(state);
      expect((await fixture.document(id))?.saleDue ?? null).toBe(null);
    }
    const confirmed = now.filter(({ state }) => state === 'confirmed').flatMap(({ lines }) => lines);
    const sold = halls.map((hall) => fixture.catalog.count(hall).sold).reduce((sum, count) => sum + count, 0);
    expect(sold).toBe(confirmed.length);
    return now;
  };

  test('of confirmation, cancellation and expiry one wins, and all answers agree', async () => {
    const made = [];
    for (let index = 0; index < 40; index += 1) {
      fixture.catalog.holdMs = randomInt(1, 120);
      made.push(await newOrder(fixture));
    }
    fixture.catalog.holdMs = 900_000;
    const answers = await Promise.all(
      made.flatMap(({ path }) => [
        call('POST', `${path}/confirmation`, { body: { onAccount: true } }),
        call('POST', `${path}/cancellation`, { body: {} }),
        call('GET', path),
      ]),
    );
    await settle();
    const now = await expectConsistent(
      made.map(({ order }) => order),
      made.map(({ hall }) => hall),
    );
    for (const [index, { state }] of now.entries()) {
      const [confirmation, cancellation] = answers.slice(index * 3) as [Reply, Reply];
      if (cancellation.status === 200) expect(state).toBe('cancelled');
      if (confirmation.status === 200 && cancellation.status !== 200) expect(state).toBe('confirmed');
    }
    for (const { order } of made) {
      const ends = fixture.facts.filter(({ key, type }) => key === order.id && type !== 'order.confirmed');
      // The bus may deliver one twice.
      expect(new Set(ends.map(({ id, version }) => `${id} ${version}`)).size).toBeLessThanOrEqual(1);
    }
  });

  test('negative control: a sale that the catalog only pretends is found', async () => {
    const { order, path, hall } = await newOrder(fixture);
    fixture.catalog.mishaps.set('sellHold', { pretends: { outcome: 'done', places: [], missing: [] } });
    await fixture.confirm(path);
    fixture.catalog.mishaps.clear();
    await expect(expectConsistent([order], [hall])).rejects.toThrow();
  });

  test('negative control: a sold place of an order that is not confirmed is found', async () => {
    const { order, path, hall } = await newOrder(fixture);
    const placeIds = order.lines.map(({ place }) => place.id);
    await fixture.context.stock.sell('opera', order.id, { placeIds });
    await fixture.call('POST', `${path}/cancellation`, { body: {} });
    await expect(expectConsistent([order], [hall])).rejects.toThrow();
  });

  test('random concurrent commands with failures of the catalog keep orders and stock consistent', async () => {
    const made = [];
    for (let index = 0; index < 24; index += 1) made.push(await newOrder(fixture, 3));
    const spare = fixture.catalog.hall(500);
    const commands: ((path: string, order: Order) => Promise<Reply<unknown>>)[] = [
      (path) => call('POST', `${path}/confirmation`, { body: { onAccount: true }, key: randomUUID() }),
      (path) => call('POST', `${path}/cancellation`, { body: {} }),
      (path) => call('POST', `${path}/lines`, { body: { items: [spare.item(2)] }, key: randomUUID() }),
      (path, { lines }) => call('DELETE', `${path}/lines/${pick(lines).id}`),
      (path) => call('POST', `${path}/extension`, { body: { minutes: 30 } }),
      (path) => pay(fixture, path, { amount: 3_000 }, { key: randomUUID() }),
      (path) => pay(fixture, path, { amount: 1_000, status: pick(['captured', 'pending']) }),
      (path) => call('PATCH', path, { body: { externalReference: randomUUID() } }),
      (path) => call('GET', path),
    ];
    const mishaps = ['fails', 'lost'] as const satisfies readonly Mishap[];
    const operations = ['sellHold', 'holdPlaces', 'releaseHold', 'extendHold'];
    for (let round = 0; round < 3; round += 1) {
      for (const operation of operations) {
        if (randomInt(2) === 0) fixture.catalog.mishaps.set(operation, pick(mishaps));
        else fixture.catalog.mishaps.delete(operation);
      }
      const answers = await Promise.all(
        made.flatMap(({ path, order }) => Array.from({ length: 3 }, () => pick(commands)(path, order))),
      );
      expect(answers.map(({ status }) => status).filter((status) => status === 500)).toEqual([]);
    }
    await settle();
    await expectConsistent(
      made.map(({ order }) => order),
      [...made.map(({ hall }) => hall), spare],
    );
  });
});
