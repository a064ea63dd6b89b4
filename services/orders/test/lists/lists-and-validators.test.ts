import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, type Order, openFixture } from '../fixture/fixture.ts';
import { newOrder, pay, read } from '../fixture/orders.ts';

interface Page {
  readonly items: readonly Order[];
  readonly nextCursor: string | null;
  readonly asOf: string;
}

describe.each(engines)('lists and validators, on $name', (engine) => {
  let fixture: Fixture;
  const institution = `opera-${randomUUID().slice(0, 8)}`;
  let orders: Order[];
  beforeAll(async () => {
    fixture = await openFixture(engine);
    fixture.contacts.known.set('C1', null);
    orders = [];
    for (let index = 0; index < 7; index += 1) {
      const hall = fixture.catalog.hall(2, { institution });
      const more = index % 2 === 0 ? { contactNumber: 'C1' } : { externalReference: `r-${index}` };
      orders.push((await fixture.call('POST', '', { institution, body: { items: [hall.item()], ...more } })).data);
    }
  });
  afterAll(() => fixture.close());

  const list = async (query: string) => (await fixture.call<Page>('GET', query, { institution })).data;
  const ids = ({ items }: Page) => items.map(({ id }) => id);

  test('a list returns full resources in order of creation, page by page', async () => {
    const found: Order[] = [];
    const asOf = new Set<string>();
    for (let query: string | null = '?limit=3'; query !== null; ) {
      const page: Page = await list(query);
      found.push(...page.items);
      asOf.add(page.asOf);
      query = page.nextCursor === null ? null : `?limit=3&cursor=${page.nextCursor}`;
    }
    expect(found).toEqual(orders);
    expect(asOf.size).toBe(1);
    expect(ids(await list(''))).toEqual(orders.map(({ id }) => id));
  });

  test('`asOf` is 15 s before the first page was read', async () => {
    const before = Date.now();
    const { asOf } = await list('?limit=1');
    const read = Date.parse(asOf) + 15_000;
    expect(read >= before && read <= Date.now()).toBe(true);
    expect((await list(`?modifiedSince=${asOf}`)).asOf >= asOf).toBe(true);
  });

  test('filters are state, contact, reference and `modifiedSince`, which is inclusive', async () => {
    expect(ids(await list('?contactNumber=C1'))).toEqual([0, 2, 4, 6].map((index) => orders[index]?.id));
    expect(ids(await list('?externalReference=r-3'))).toEqual([orders[3]?.id]);
    expect(ids(await list('?externalReference=%20r-3%C2%A0'))).toEqual([orders[3]?.id]);
    const changed = await fixture.call('POST', `/${orders[2]?.id}/confirmation`, {
      institution,
      body: { onAccount: true },
    });
    expect(ids(await list('?state=confirmed'))).toEqual([orders[2]?.id]);
    expect(ids(await list('?state=open&contactNumber=C1'))).toEqual([0, 4, 6].map((index) => orders[index]?.id));
    const { updatedAt } = changed.data as unknown as { updatedAt: string };
    expect(ids(await list(`?modifiedSince=${updatedAt}`))).toEqual([orders[2]?.id]);
    expect(ids(await list('?modifiedSince=2999-01-01T00:00:00Z'))).toEqual([]);
    expect((await fixture.call('GET', '?state=draft', { institution })).code).toBe('invalid_parameter');
    expect((await fixture.call('GET', '?limit=501', { institution })).code).toBe('invalid_parameter');
    expect((await list('?limit=500')).items.some(({ id }) => id === orders[2]?.id)).toBe(true);
  });

  test('filters are the point of sale and the creation, both ends included', async () => {
    const of = orders.map(({ createdAt }) => createdAt);
    const from = `createdFrom=${of[2]}`;
    const to = `createdTo=${of[4]}`;
    const within = orders.filter(
      ({ createdAt }) => String(createdAt) >= String(of[2]) && String(createdAt) <= String(of[4]),
    );
    expect(ids(await list(`?${from}&${to}`))).toEqual(within.map(({ id }) => id));
    expect(ids(await list(`?${from}`))).toEqual(
      orders.filter((one) => String(one.createdAt) >= String(of[2])).map(({ id }) => id),
    );
    expect(ids(await list('?createdTo=2020-01-01T00:00:00Z'))).toEqual([]);
    expect(ids(await list('?createdFrom=1960-01-01T00:00:00Z&limit=500'))).toEqual(orders.map(({ id }) => id));
    const hall = fixture.catalog.hall(1, { institution });
    const sold = await fixture.call('POST', '', {
      institution,
      body: { items: [hall.item()], pointOfSale: 'tickets.opera.example' },
    });
    expect(ids(await list('?pointOfSale=Tickets.Opera.Example'))).toEqual([sold.data.id]);
    expect(ids(await list('?pointOfSale=other.example'))).toEqual([]);
    expect((await fixture.call('GET', '?createdFrom=yesterday', { institution })).code).toBe('invalid_parameter');
  });

  test('a list contains no orders of another institution', async () => {
    const other = await fixture.call<Page>('GET', '', { institution: 'somewhere-else' });
    expect(other.data.items).toEqual([]);
  });

  test('every write checks If-Match, and each answer has the new validator', async () => {
    const { path, order } = await newOrder(fixture, 3);
    const stale = { ifMatch: '"7"' };
    const line = order.lines[0]?.id;
    const writes: [string, string, unknown][] = [
      ['PATCH', '', { externalReference: 'x' }],
      ['POST', '/lines', { items: [{ performanceId: 'p', seatCategoryId: 's', tariffId: 't' }] }],
      ['PATCH', `/lines/${line}`, { beneficiary: { lastName: 'x' } }],
      ['DELETE', `/lines/${line}`, undefined],
      ['POST', '/extension', { minutes: 5 }],
      ['POST', '/reservation', { dueAt: '2020-01-01T00:00:00Z' }],
      ['POST', '/payments', { method: 'card', amount: 999_999, status: 'captured' }],
      ['PATCH', '/payments/pay_unknown', { status: 'failed' }],
      ['POST', '/confirmation', {}],
      ['POST', '/cancellation', {}],
      ['POST', '/refunds', { amount: 1, method: 'card' }],
    ];
    for (const [method, at, body] of writes) {
      const answer = await fixture.call(method, `${path}${at}`, { body, ...stale });
      expect([method, at, answer.status]).toEqual([method, at, 412]);
    }
    expect(await read(fixture, path)).toEqual(order);
    let etag = '"1"';
    const chain: [string, string, unknown][] = [
      ['PATCH', '', { externalReference: 'x' }],
      ['DELETE', `/lines/${line}`, undefined],
      ['POST', '/extension', { minutes: 50 }],
      ['POST', '/payments', { method: 'card', amount: 10, status: 'captured' }],
      ['POST', '/refunds', { amount: 1, method: 'card' }],
      ['POST', '/confirmation', { onAccount: true }],
      ['POST', '/cancellation', {}],
    ];
    for (const [method, at, body] of chain) {
      const answer = await fixture.call(method, `${path}${at}`, { body, ifMatch: etag });
      expect([method, at, answer.status < 300]).toEqual([method, at, true]);
      etag = String(answer.headers.get('etag'));
    }
    expect((await read(fixture, path)).version).toBe(Number(etag.slice(1, -1)));
  });

  test('the answer names the JSON path of every fault in a body', async () => {
    const answer = await fixture.call('POST', '', {
      body: { items: [{ performanceId: '', quantity: 99 }], colour: 1 },
    });
    expect(answer).toMatchObject({ status: 400, code: 'bad_request' });
    for (const path of ['$.items[0].seatCategoryId', '$.items[0].quantity', '$.colour'])
      expect(answer.details).toContain(path);
    const { path } = await newOrder(fixture);
    expect((await pay(fixture, path, { status: 'maybe' })).code).toBe('validation_error');
  });
});
