import { randomUUID } from 'node:crypto';
import type { ChangesPage } from '@boxoffice/http';
import type { CallerUser } from '@boxoffice/identity';
import type { Query } from '@boxoffice/store';
import { explainQuery } from '@boxoffice/store/conformance';
import { expect, test } from '@jest/globals';
import { searchOrders } from '../../src/orders/search.ts';
import { ordersCollection } from '../../src/store.ts';
import { type Call, describeOnEachEngine, type Fixture, type Order } from '../fixture/fixture.ts';
import { createContact } from '../fixture/orders.ts';

const search = async (fixture: Fixture, query: Readonly<Record<string, string>>, call: Call = {}) => {
  const answer = await fixture.call<ChangesPage<Order>>('GET', `?${new URLSearchParams(query)}`, call);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.data;
};

const idsOf = async (fixture: Fixture, query: Readonly<Record<string, string>>, call: Call = {}) =>
  (await search(fixture, query, call)).items.map(({ id }) => id);

describeOnEachEngine('orders are found', (fixture) => {
  const person = (name: string, email = `${randomUUID()}@example.org`) => {
    const contactNumber = createContact(fixture);
    fixture.contacts.people.set(contactNumber, { email, name });
    return { contactNumber, email, name };
  };
  const order = async (body: object = {}, call: Call = {}) => {
    const { data, status, text } = await fixture.call('POST', '', {
      body: { items: [fixture.catalog.hall(3).item(1)], ...body },
      ...call,
    });
    if (status !== 201) throw new Error(text);
    return data;
  };

  test('by the email of their buyer: all of them, of each contact that has it', async () => {
    const [first, second, other] = [person('Martin'), person('Martin'), person('Martin')];
    fixture.contacts.people.set(second.contactNumber, { ...second, email: first.email });
    const ids = [];
    for (const { contactNumber } of [first, second, first]) ids.push((await order({ contactNumber })).id);
    await order({ contactNumber: other.contactNumber });
    expect(await idsOf(fixture, { email: first.email })).toEqual(ids);
    expect(await idsOf(fixture, { email: 'nobody@example.org' })).toEqual([]);
    expect(await idsOf(fixture, { email: first.email, contactNumber: first.contactNumber })).toEqual([ids[0], ids[2]]);
    expect(await idsOf(fixture, { email: first.email, contactNumber: other.contactNumber })).toEqual([]);
  });

  test('by `q`: the number in either case, the reference, the beginning of the last name; page by page, each once', async () => {
    const name = `Q${randomUUID()}`;
    const { contactNumber } = person(name);
    const named = await order({ contactNumber, externalReference: `R-${name}` });
    const referred = await order({ externalReference: name });
    for (const q of [named.number, named.number.toUpperCase(), `R-${name}`])
      expect(await idsOf(fixture, { q })).toEqual([named.id]);
    expect(await idsOf(fixture, { q: name.slice(0, 20) })).toEqual([named.id]);
    expect(await idsOf(fixture, { q: name })).toEqual([named.id, referred.id]);
    const page = await search(fixture, { q: name, limit: '1' });
    const next = await search(fixture, { q: name, limit: '1', cursor: String(page.nextCursor) });
    expect([...page.items, ...next.items].map(({ id }) => id)).toEqual([named.id, referred.id]);
    expect(next.nextCursor).toBe(null);
    expect(await idsOf(fixture, { q: name, state: 'confirmed' })).toEqual([]);
    expect(await idsOf(fixture, { q: name, externalReference: name })).toEqual([referred.id]);
    expect(await idsOf(fixture, { q: `${name}x` })).toEqual([]);
  });

  test('by a performance of which they have a line now', async () => {
    const [hall, another] = [fixture.catalog.hall(9), fixture.catalog.hall(9)];
    const { contactNumber, email } = person('Lind');
    const one = await order({ items: [hall.item(1)] });
    const both = await order({ items: [another.item(1), hall.item(1)], contactNumber });
    const left = await order({ items: [hall.item(1), another.item(1)] });
    const line = left.lines.find(({ performanceId }) => performanceId === hall.performanceId);
    await fixture.call('DELETE', `/${left.id}/lines/${line?.id}`);
    const performanceId = hall.performanceId;
    expect(await idsOf(fixture, { performanceId })).toEqual([one.id, both.id]);
    const first = await search(fixture, { performanceId, limit: '1' });
    expect(await idsOf(fixture, { performanceId, limit: '5', cursor: String(first.nextCursor) })).toEqual([both.id]);
    expect(await idsOf(fixture, { performanceId, email })).toEqual([both.id]);
    expect(await idsOf(fixture, { performanceId: another.performanceId })).toEqual([both.id, left.id]);
    expect(await idsOf(fixture, { performanceId: 'prf_unknown' })).toEqual([]);
  });

  test('within what the caller may see', async () => {
    const { contactNumber, email } = person('Seen');
    fixture.contacts.reachedBy.set(contactNumber, 'agency');
    const bounds = { ownOrders: true, pointsOfSale: [] };
    const agency = { client: 'agency', bounds };
    const own = await order({ contactNumber }, agency);
    const theirs = await order({ contactNumber });
    expect(await idsOf(fixture, { email }, agency)).toEqual([own.id]);
    expect(await idsOf(fixture, { q: theirs.number }, agency)).toEqual([]);
    expect(await idsOf(fixture, { email }, { client: 'other', bounds })).toEqual([]);
    const customer = (contact: string): CallerUser => ({ id: 'usr_1', role: 'customer', contact, pointsOfSale: [] });
    expect(await idsOf(fixture, { email }, { user: customer(contactNumber) })).toEqual([own.id, theirs.id]);
    expect(await idsOf(fixture, { email }, { user: customer('COTHER') })).toEqual([]);
    expect(await idsOf(fixture, { email }, { institution: 'museum' })).toEqual([]);
  });

  test('not by the name or email of an erased contact', async () => {
    const { contactNumber, email } = person('Gone');
    await order({ contactNumber });
    fixture.contacts.people.delete(contactNumber);
    expect(await idsOf(fixture, { email })).toEqual([]);
  });

  test('only with more letters where a name begins too many; 503 while contacts does not answer', async () => {
    const name = `M${randomUUID()}`;
    for (let count = 0; count <= 2_000; count += 1)
      fixture.contacts.people.set(`C${name}${count}`, { email: `${count}@example.org`, name });
    const many = await fixture.call('GET', `?q=${name.slice(0, 9)}`);
    expect([many.status, many.code]).toEqual([400, 'invalid_parameter']);
    for (let count = 0; count <= 2_000; count += 1) fixture.contacts.people.delete(`C${name}${count}`);
    fixture.contacts.mishaps.set('findContacts', 'fails');
    expect((await fixture.call('GET', '?email=a@example.org')).status).toBe(503);
    fixture.contacts.mishaps.clear();
  });

  test('by an index, whatever is sought', async () => {
    const { contactNumber, email } = person(`P${randomUUID()}`);
    const hall = fixture.catalog.hall(9);
    await order({ items: [fixture.catalog.hall(1).item(1), hall.item(1)], contactNumber });
    const queries: Query[] = [];
    const documents = fixture.context.orders.of('opera');
    const find = (query: Query = {}) => {
      queries.push(query);
      return documents.find(query);
    };
    const context = { ...fixture.context, orders: { ...fixture.context.orders, of: () => ({ ...documents, find }) } };
    const page = { where: { listedAt: { gt: 0 } }, orderBy: 'listedAt', limit: 21, after: { value: 5, id: 'ord_1' } };
    for (const sought of [{ q: 'ma' }, { email }, { performanceId: hall.performanceId }, { q: email, email }])
      await (await searchOrders(context, 'opera', sought)).find(page);
    expect(queries.length).toBeGreaterThan(5);
    for (const query of queries)
      for (const plan of explainQuery(ordersCollection, query)) {
        expect(plan).toMatch(
          /SEARCH orders USING (COVERING )?INDEX (orders\.(contact|number|reference|performance_listed)|\S+) \(/,
        );
        expect(plan).not.toMatch(/SCAN orders|INDEX orders\.listed/);
      }
  });
});
