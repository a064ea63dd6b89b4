import { randomUUID } from 'node:crypto';
import type { CallerUser } from '@boxoffice/identity';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createContextFactory } from '../../src/context.ts';
import { type Call, engines, type Order, openFixture } from '../fixture/fixture.ts';
import { expectUnknown, orderOperations, sendExample } from '../fixture/operations.ts';
import { pay } from '../fixture/orders.ts';

interface Page {
  readonly items: readonly Order[];
  readonly nextCursor: string | null;
}

const [NORTH, SOUTH, EAST] = ['north.opera.example', 'south.opera.example', 'east.opera.example'];

const till = (...pointsOfSale: string[]): CallerUser => ({
  id: 'usr_till',
  role: 'box_office',
  contact: null,
  pointsOfSale,
});
const customer = (contact: string): CallerUser => ({ id: 'usr_own', role: 'customer', contact, pointsOfSale: [] });

describe.each(engines)('a user has the orders of its role, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));
  beforeAll(async () => {
    for (const contact of ['C1', 'C2']) fixture.contacts.known.set(contact, null);
  });

  const order = async (body: object, call: Call = {}) => {
    const hall = fixture.catalog.hall(3);
    const answer = await fixture.call('POST', '', { ...call, body: { items: [hall.item()], ...body } });
    if (answer.status !== 201) throw new Error(answer.text);
    return { ...answer.data, hall };
  };

  const list = async (query: string, call: Call) => (await fixture.call<Page>('GET', `?limit=500${query}`, call)).data;

  test('a box office with points of sale has their orders only', async () => {
    const [own, other, none] = [
      await order({ pointOfSale: NORTH }),
      await order({ pointOfSale: SOUTH }),
      await order({}),
    ];
    const user = till(NORTH, EAST);
    const { items, nextCursor } = await list('', { user });
    expect(items.map(({ id }) => id)).toEqual([own.id]);
    expect(nextCursor).toBeNull();
    expect((await fixture.call('GET', `/${own.id}`, { user })).status).toBe(200);
    await expectUnknown(fixture, { orderId: other.id }, { user });
    await expectUnknown(fixture, { orderId: none.id }, { user }, { isBrief: true });
    const moved = await fixture.call('PATCH', `/${own.id}`, { user, body: { externalReference: 'mine' } });
    expect(moved.status).toBe(200);
  });

  test('its lists page and filter within them', async () => {
    const hosts = [`a-${randomUUID()}.example`, `b-${randomUUID()}.example`];
    const own: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      const { id } = await order({ pointOfSale: hosts[index % 2], ...(index < 3 ? { contactNumber: 'C1' } : {}) });
      own.push(id);
      await order({ pointOfSale: SOUTH, contactNumber: 'C1' });
    }
    const user = till(...hosts);
    const seen: string[] = [];
    for (let query: string | null = ''; query !== null; ) {
      const page: Page = (await fixture.call<Page>('GET', `?limit=2${query}`, { user })).data;
      seen.push(...page.items.map(({ id }) => id));
      query = page.nextCursor && `&cursor=${page.nextCursor}`;
    }
    expect(seen).toEqual(own);
    expect((await list('&contactNumber=C1', { user })).items.map(({ id }) => id)).toEqual(own.slice(0, 3));
  });

  test('an order of it must name one of them, before anything else is looked at', async () => {
    const hall = fixture.catalog.hall(3);
    const create = (pointOfSale: string | undefined, user: CallerUser, more: object = {}) =>
      fixture.call('POST', '', { user, body: { items: [hall.item()], ...(pointOfSale && { pointOfSale }), ...more } });
    for (const name of [undefined, SOUTH]) {
      for (const more of [
        {},
        { contactNumber: 'C_unknown' },
        { items: [{ ...hall.item(), performanceId: 'prf_no' }] },
      ]) {
        const refused = await create(name, till(NORTH, EAST), more);
        expect(refused).toMatchObject({ status: 403, code: 'forbidden', data: null });
        expect(refused.details).toContain('$.pointOfSale');
      }
    }
    expect(fixture.catalog.count(hall).held).toBe(0);
    expect((await create(NORTH, till(NORTH, EAST))).data).toMatchObject({ pointOfSale: NORTH });
    expect((await create(NORTH.toUpperCase(), till(NORTH))).data).toMatchObject({ pointOfSale: NORTH });
    expect((await create(undefined, till())).data).toMatchObject({ pointOfSale: null });
  });

  test('a customer has the orders of its contact only, and reads them', async () => {
    const [own, other, none] = [
      await order({ contactNumber: 'C1' }),
      await order({ contactNumber: 'C2' }),
      await order({}),
    ];
    const user = customer('C1');
    const found = (await list('', { user })).items;
    expect(found.map(({ id }) => id)).toContain(own.id);
    expect(found.every(({ contactNumber }) => String(contactNumber) === 'C1')).toBe(true);
    expect((await list('&contactNumber=C2', { user })).items).toEqual([]);
    expect((await fixture.call('GET', `/${own.id}`, { user })).status).toBe(200);
    await expectUnknown(fixture, { orderId: other.id }, { user });
    await expectUnknown(fixture, { orderId: none.id }, { user }, { isBrief: true });
    for (const one of orderOperations.filter(({ id }) => !/^(getOrder|quoteOrder|listOrder)/.test(id)))
      expect([one.id, (await sendExample(fixture, one, { orderId: own.id }, { user })).status]).toEqual([one.id, 403]);
    const items = [own.hall.item()];
    expect((await fixture.call('POST', '', { user, body: { items, contactNumber: 'C1' } })).status).toBe(403);
  });

  test('a customer quotes with its own contact; another reads like one that never existed, and is not looked up', async () => {
    const user = customer('C1');
    const items = [fixture.catalog.hall(3).item()];
    const quote = (contactNumber: string, by: CallerUser | null = user) =>
      fixture.call('POST', '/quotes', { user: by, body: { items, contactNumber } });
    expect((await quote('C1')).data).toMatchObject({ available: true, refusals: [] });
    expect(fixture.catalog.calls.at(-1)).toMatchObject({ body: { publicOnly: true } });
    const asked = fixture.contacts.calls.length;
    const [foreign, unknown] = [await quote('C2'), await quote('C_unknown')];
    expect(foreign.text.replaceAll('C2', 'C_unknown')).toBe(unknown.text);
    expect(unknown.data).toMatchObject({ available: false, refusals: [{ item: null, status: 'validation_error' }] });
    expect(fixture.contacts.calls).toHaveLength(asked);
    expect((await quote('C2', till())).data).toMatchObject({ available: true });
    expect(fixture.catalog.calls.at(-1)?.body).not.toHaveProperty('publicOnly');
  });

  test('an order that changes its contact moves to the other customer, and its tickets with it', async () => {
    const { id } = await order({ contactNumber: 'C1' });
    await pay(fixture, `/${id}`, { amount: 1_000 });
    const seen = async (contact: string) => (await fixture.call('GET', `/${id}`, { user: customer(contact) })).status;
    expect([await seen('C1'), await seen('C2')]).toEqual([200, 404]);
    fixture.tickets.calls.length = 0;
    expect((await fixture.call('PATCH', `/${id}`, { body: { contactNumber: 'C2' } })).status).toBe(200);
    expect([await seen('C1'), await seen('C2')]).toEqual([404, 200]);
    expect(fixture.tickets.calls).toMatchObject([
      { operation: 'issueTickets', body: { orderId: id, contactNumber: 'C2' } },
    ]);
    const told = () =>
      fixture
        .factsOf(id)
        .filter(({ type }) => type === 'order.confirmed')
        .at(-1)?.data;
    expect(told()).toMatchObject({ orderId: id, contactNumber: 'C2' });
    await fixture.call('POST', `/${id}/cancellation`);
    await fixture.call('PATCH', `/${id}`, { body: { contactNumber: null } });
    expect(await seen('C2')).toBe(404);
    expect(told()).toMatchObject({ orderId: id, contactNumber: null });
    expect(fixture.tickets.calls.at(-1)).toMatchObject({ operation: 'issueTickets', body: { contactNumber: null } });
  });

  test('places are held per client and user', async () => {
    const limited = await openFixture(engine, { maxHeldPlaces: 2 });
    const hall = limited.catalog.hall(20);
    const create = (call: Call) => limited.call('POST', '', { ...call, body: { items: [hall.item(2)] } });
    const user = (id: string): CallerUser => ({ ...till(), id });
    const calls = [{}, { user: user('usr_1') }, { user: user('usr_2') }, { client: 'other', user: user('usr_1') }];
    for (const call of calls) {
      expect((await create(call)).status).toBe(201);
      expect((await create(call)).code).toBe('order_hold_limit');
    }
    await limited.close();
  });

  test.each(['admin', 'manager', 'box_office'] as const)('%s without points of sale has all orders', async (role) => {
    const { id } = await order({ pointOfSale: SOUTH });
    const user: CallerUser = { id: 'usr_1', role, contact: null, pointsOfSale: role === 'box_office' ? [] : [NORTH] };
    expect((await fixture.call('GET', `/${id}`, { user })).status).toBe(200);
  });

  test('a context of a caller reaches no other institution, and none of all', async () => {
    const { orders, links } = createContextFactory(fixture.context)({
      institution: 'opera',
      client: 'cli_1',
      user: null,
      bounds: null,
    });
    expect(() => orders.of('museum')).toThrow('museum');
    expect(() => links.of('museum')).toThrow('museum');
    expect(() => orders.acrossInstitutions).toThrow('all institutions');
  });
});
