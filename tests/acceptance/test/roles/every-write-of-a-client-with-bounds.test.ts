// rule platform.8: Bounds hold for what a client does, too | libs/identity/src/caller.ts
import type { ClientBounds } from '@boxoffice/identity';
import { readSettings, text } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Composition, type Described, startComposition } from './composition.ts';
import { type Sold, sell } from './sold.ts';
import { BOUNDED_WRITES, SCOPES, SELLER } from './walkers.ts';

const { mongodbUrl } = readSettings({ mongodbUrl: text('TEST_MONGODB_URL', { optional: true }) });
const engines = [
  { name: 'SQLite', server: undefined },
  ...(mongodbUrl === undefined ? [] : [{ name: 'MongoDB', server: mongodbUrl }]),
];

const { ofOwn, limited } = BOUNDED_WRITES;

describe.each(engines)('every write of a client with bounds, on $name', ({ server }) => {
  let its: Composition;
  let own: Sold;
  beforeAll(async () => {
    its = await startComposition(server);
    own = await sell({ call: (id, options) => its.call(id, { ...options, client: SELLER }) }, 'north');
  });
  afterAll(() => its?.close());

  const isWithin = ({ scopes }: Described): boolean =>
    scopes.every((one) => (SCOPES.ownOrders as readonly string[]).includes(one));

  test('is about its own records alone, or limited besides', () => {
    const writes = its.operations.filter(
      (one) => isWithin(one) && one.scopes.some((scope) => scope.endsWith(':write')),
    );
    const ids = writes.map(({ id }) => id.replace(/Unprefixed$/, ''));
    expect([...new Set(ids)].sort()).toEqual([...ofOwn, ...Object.keys(limited)].sort());
  });

  test('no scope of what is the whole institution’s is one that it can have', () => {
    const excluded = its.operations.filter((one) => !isWithin(one)).flatMap(({ scopes }) => scopes);
    expect([...new Set(excluded)].sort()).toEqual([
      ...['catalog.sensitive:read', 'catalog.sensitive:write', 'catalog:write'],
    ]);
  });

  test.each(['ownOrders', 'pointsOfSale'] as const)(
    'is refused beyond them, and is not without them: %s',
    async (by) => {
      const bounds: ClientBounds =
        by === 'ownOrders'
          ? { ownOrders: true, pointsOfSale: [] }
          : { ownOrders: false, pointsOfSale: [own.pointOfSale] };
      const { performanceId, tariffId } = own.params;
      const { seatCategories } = (await its.call('getPerformance', { params: own.params })).data;
      const item = { performanceId, tariffId, seatCategoryId: seatCategories[0].id };
      const { pointOfSale } = own;
      const wanted = { items: [{ ...item, quantity: 2 }], pointOfSale };
      const first = { client: SELLER, body: { items: [item], pointOfSale } };
      const params = { ...own.params, orderId: String((await its.call('createOrder', first)).data.id) };
      const send = (id: string, within: ClientBounds | null) => {
        const body = limited[id]?.body(wanted);
        return its.call(id, { params, client: SELLER, body, bounds: within, more: ['orders.sensitive:write'] });
      };
      for (const [id, { refused, bounds: more }] of Object.entries(limited)) {
        const { status, text: answer } = await send(id, { ...bounds, ...more });
        expect([id, status, JSON.parse(answer).status]).toEqual([id, refused.status, refused.code]);
      }
      for (const id of Object.keys(limited)) {
        const { status, text: answer } = await send(id, null);
        expect([id, status < 300 ? '' : answer]).toEqual([id, '']);
      }
    },
  );
});
