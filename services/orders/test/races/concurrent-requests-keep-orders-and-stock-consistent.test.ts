import { randomInt, randomUUID } from 'node:crypto';
import { type Mishap, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Hall } from '../fixture/catalog.ts';
import { engines, type Fixture, type Order, openFixture, type Reply } from '../fixture/fixture.ts';
import {
  createCartId,
  createContact,
  createOrderInHall,
  type Outcome,
  pay,
  read,
  type ShopOrder,
} from '../fixture/orders.ts';

const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

describe.each(engines)('concurrent requests keep orders and stock consistent, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { paymentGraceSeconds: 1 }));

  let other: Pick<Fixture, 'call' | 'shop'>;
  beforeAll(async () => {
    other = await fixture.another();
  });

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

  describe('of commands', () => {
    const call: Fixture['call'] = (...args) => pick([fixture, other]).call(...args);

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
        made.push(await createOrderInHall(fixture));
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
      const { order, path, hall } = await createOrderInHall(fixture);
      fixture.catalog.mishaps.set('sellHold', { pretends: { outcome: 'done', places: [], missing: [] } });
      await fixture.confirm(path);
      fixture.catalog.mishaps.clear();
      await expect(expectConsistent([order], [hall])).rejects.toThrow();
    });

    test('negative control: a sold place of an order that is not confirmed is found', async () => {
      const { order, path, hall } = await createOrderInHall(fixture);
      const placeIds = order.lines.map(({ place }) => place.id);
      await fixture.context.stock.sell('opera', order.id, { placeIds });
      await fixture.call('POST', `${path}/cancellation`, { body: {} });
      await expect(expectConsistent([order], [hall])).rejects.toThrow();
    });

    test('random concurrent commands with failures of the catalog keep orders and stock consistent', async () => {
      const made = [];
      for (let index = 0; index < 24; index += 1) made.push(await createOrderInHall(fixture, 3));
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

  describe('of shoppers', () => {
    const post = async (kind: string, id: string, path: string, body?: object): Promise<Click> => {
      const { status, data } = await pick([fixture, other]).shop<Click['data']>('POST', path, { body });
      const { requestId = '' } = (body ?? {}) as { requestId?: string };
      return { kind, id, requestId, status, data };
    };

    test('random requests with failures of the catalog buy nothing twice and lose no place', async () => {
      const hall = fixture.catalog.hall(2_000);
      const ids = Array.from({ length: 16 }, createCartId);
      const contactNumber = createContact(fixture, 'account');
      const lineOf = async (id: string) => {
        const { data } = await fixture.shop<ShopOrder | null>('GET', `/${id}`);
        return data && data.lines.length > 0 ? pick(data.lines).id : 'lin_none';
      };
      const visitor = { pointOfSale: 'tickets.opera.example', address: randomUUID() };
      const items = () => [hall.item(randomInt(1, 3))];
      const add = (id: string) => {
        const address = randomUUID();
        return post('add', id, '/items', {
          ...visitor,
          address,
          orderId: id,
          requestId: pick(['1', '2', '3']),
          items: items(),
        });
      };
      const methods = [
        { paymentMethod: 'on_account' },
        { paymentMethod: 'external' },
        { paymentMethod: 'simulated', paymentToken: 'ok' },
        { paymentMethod: 'simulated', paymentToken: 'declined' },
      ];
      const checkout = (id: string) =>
        post('checkout', id, `/${id}/checkout`, { requestId: pick(['a', 'b']), contactNumber, ...pick(methods) });
      const clicks: ((id: string) => Promise<Click>)[] = [
        add,
        add,
        checkout,
        checkout,
        async (id) => post('remove', id, `/${id}/lines/${await lineOf(id)}/removal`),
        async (id) =>
          post('change', id, `/${id}/lines/${await lineOf(id)}/change`, {
            requestId: randomUUID(),
            tariffId: hall.tariffId,
          }),
        (id) => (randomInt(4) === 0 ? post('giveUp', id, `/${id}/giving-up`) : add(id)),
        (id) => (randomInt(4) === 0 ? post('fault', id, `/${id}/fault-cancellation`) : checkout(id)),
        (id) => post('cancel', id, `/${id}/cancellation`, { requestId: pick(['a', 'b']) }),
      ];
      const mishaps = ['fails', 'lost'] as const satisfies readonly Mishap[];
      const done: Click[] = [];
      // Some carts must be bought: they exist after the first round, and in one of the others sales succeed.
      const unsold = randomInt(1, 3);
      for (let round = 0; round < 3; round += 1) {
        for (const operation of ['sellHold', 'holdPlaces', 'releaseHold', 'extendHold', 'quoteItems']) {
          const fails = operation === 'sellHold' ? round === unsold : round > 0 && randomInt(2) === 0;
          if (fails) fixture.catalog.mishaps.set(operation, pick(mishaps));
          else fixture.catalog.mishaps.delete(operation);
        }
        const now = round === 0 ? ids.flatMap((id) => [add(id), add(id)]) : [];
        now.push(...ids.flatMap((id) => Array.from({ length: 3 }, () => pick(clicks)(id))));
        done.push(...(await Promise.all(now)));
      }
      expect(done.filter(({ status }) => ![200, 404, 409, 503].includes(status))).toEqual([]);
      await settle();
      let sold = 0;
      for (const id of ids) {
        const order = await fixture.document(id);
        const own = done.filter((click) => click.id === id && click.status === 200);
        const bought = own.filter(({ kind, data }) => kind === 'checkout' && data?.outcome === 'done');
        expect(new Set(bought.map(({ requestId }) => requestId)).size).toBeLessThanOrEqual(1);
        const ended = own.some(
          ({ kind, data }) => data?.cancelled || (['cancel', 'giveUp'].includes(kind) && data?.outcome === 'done'),
        );
        if (ended) expect([id, order?.state]).toEqual([id, expect.stringMatching(/^(cancelled|expired)$/)]);
        if (own.some(({ data }) => data?.cancelled)) expect([id, order?.state]).toEqual([id, 'cancelled']);
        const confirmed = bought.some(({ data }) => data?.order?.state === 'confirmed');
        if (confirmed && !ended)
          expect([id, order?.state]).toEqual([id, expect.stringMatching(/^(confirmed|cancelled)$/)]);
        const places = fixture.catalog.placesOf(id).filter(({ state }) => state === 'sold');
        const expected = order?.state === 'confirmed' ? order.lines.map(({ place }) => place.id) : [];
        expect([id, order?.state, places.map((place) => place.id).sort()]).toEqual([id, order?.state, expected.sort()]);
        expect(order?.saleDue ?? null).toBeNull();
        // Three requests added at most two places each, despite all repeats.
        expect(order?.lines.length ?? 0).toBeLessThanOrEqual(6);
        if (order?.state === 'confirmed') expect(order.listedAt).not.toBeNull();
        sold += expected.length;
      }
      expect(fixture.catalog.count(hall).sold).toBe(sold);
      const outcomes = new Set(done.map(({ kind, data }) => `${kind} ${data?.outcome ?? data?.cancelled}`));
      expect([...outcomes]).toEqual(expect.arrayContaining(['add done', 'checkout done', 'checkout refused']));
      const confirmations = fixture.facts.filter(({ type }) => type === 'order.confirmed');
      for (const id of ids) {
        const published = confirmations.filter(({ key }) => key === id).map(({ version }) => version);
        expect(new Set(published).size).toBeLessThanOrEqual(1);
      }
    });
  });
});

/** One click and its outcome: operation, cart, request, answer. */
interface Click {
  readonly kind: string;
  readonly id: string;
  readonly requestId: string;
  readonly status: number;
  readonly data: (Partial<Outcome> & { readonly cancelled?: boolean }) | null;
}
