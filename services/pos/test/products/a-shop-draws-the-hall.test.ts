import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { GATEWAY_CACHE_MS } from '../../src/products/offers.ts';
import type { Show } from '../fixture/catalog.ts';
import { type Call, openFixture, until } from '../fixture/fixture.ts';

interface Plan {
  readonly areas: readonly { readonly name: string }[];
  readonly seats: Readonly<Record<string, { readonly free: boolean }>>;
}

describe('the plan of a hall', () => {
  const fixture = useFixture(() => openFixture());
  let show: Show;
  beforeAll(() => {
    show = fixture.catalog.show({ capacity: 3, free: 2, numbered: true });
  });

  const pathOf = ({ product, performanceId }: Show) => `/products/${product.id}/performances/${performanceId}/seat-map`;
  const read = (of: Show, call: Call = {}, query = '') =>
    fixture.call<Plan & Readonly<Record<string, unknown>>>('GET', pathOf(of) + query, { version: 'vexp', ...call });
  const planCalls = () => fixture.catalog.calls.filter(({ operation }) => operation === 'getShopSeatMap').length;

  test('has areas in the language of the answer, and each seat by the id of its place, with whether it is free', async () => {
    const { status, data, headers } = await read(show);
    const { performanceId: id, seatCategoryId } = show;
    expect([status, data]).toEqual([
      200,
      {
        stage: { x: 0, y: 0, width: 100 },
        areas: [{ id: 'hall', name: 'Salle', seatCategoryId, outline: 'M0 10H100V30H0Z' }],
        seats: {
          [`plc_${id}_0`]: { areaId: 'hall', row: 'A', label: 'A-1', x: 0, y: 20, free: true },
          [`plc_${id}_1`]: { areaId: 'hall', row: 'A', label: 'A-2', x: 10, y: 20, free: true },
          [`plc_${id}_2`]: { areaId: 'hall', row: 'A', label: 'A-3', x: 20, y: 20, free: false },
        },
      },
    ]);
    expect(headers.get('x-internal-keep')).toBe(String(GATEWAY_CACHE_MS));
    expect((await read(show, {}, '?lang=en')).data.areas[0]?.name).toBe('Hall');
  });

  test('has no seats of an unnumbered category, and none that is withdrawn or not on the plan yet', async () => {
    expect((await read(fixture.catalog.show({ capacity: 3 }))).data).toMatchObject({
      areas: [{ id: 'hall' }],
      seats: {},
    });
    const other = fixture.catalog.show({ capacity: 2, numbered: true });
    const id = (index: number) => `plc_${other.performanceId}_${index}`;
    const seat = { areaId: 'hall', row: 'B', label: 'B-1', x: 0, y: 0 };
    other.plan = { ...other.plan, seats: { [id(0)]: seat, [id(7)]: seat } };
    expect(Object.keys((await read(other)).data.seats)).toEqual([id(0)]);
  });

  test('shows a sale within about a second, and a new plan once the performance has changed', async () => {
    const other = fixture.catalog.show({ capacity: 2, numbered: true });
    const freeNow = async () => Object.values((await read(other)).data.seats).filter(({ free }) => free).length;
    const before = planCalls();
    expect(await freeNow()).toBe(2);
    other.free = 1;
    await until(async () => (await freeNow()) === 1);
    expect(planCalls()).toBe(before + 1);
    other.plan = { ...other.plan, stage: { x: 1, y: 1, width: 1 } };
    fixture.catalog.touch(other);
    await until(async () => JSON.stringify((await read(other)).data.stage) === JSON.stringify(other.plan.stage));
  });

  test.each(['preparing', 'suspended', 'closed', 'cancelled'] as const)(
    'of a product that is %s is 404, as of an unknown one, and its places',
    async (state) => {
      const hidden = await read(fixture.catalog.show({ state }));
      const unknown = await fixture.call('GET', '/products/prd_x/performances/prf_x/seat-map', { version: 'vexp' });
      expect([hidden.status, hidden.code, hidden.text]).toEqual([404, 'not_found', unknown.text]);
    },
  );

  test('of a performance of another product, of another institution, and under v1 is 404', async () => {
    const other = fixture.catalog.show();
    const { serviceHost } = fixture.catalog.pointOfSale({ institution: 'museum' });
    const crossed = await read({ ...show, product: other.product });
    const statuses = [crossed, await read(show, { host: serviceHost }), await read(show, { version: 'v1' })];
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
