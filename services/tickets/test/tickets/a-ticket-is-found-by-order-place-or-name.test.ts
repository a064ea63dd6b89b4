import { describe, expect, test } from '@jest/globals';
import { foldCode, foldText } from '../../src/domain/search.ts';
import { ticketsCollection } from '../../src/store.ts';
import {
  createBoxOfficeUser,
  createCustomerUser,
  describeOnEachEngine,
  door,
  PATH,
  type TicketView,
  toCodes,
} from '../fixture/service.ts';
import {
  addMembers,
  type Confirmed,
  createConfirmedOrder,
  getFirstTicketId,
  getPerformanceId,
  issueAndPrint,
  issueOrder,
} from '../fixture/tickets.ts';

describe('what is compared', () => {
  test.each([
    ['Élodie', 'elodie'],
    ['STRAẞE', 'strasse'],
    ['Søren Ødegård', 'soren odegard'],
    ['İstanbul', 'istanbul'],
    ["  Jean-Pierre   d'Ormesson ", 'jean pierre d ormesson'],
    ['Дядя Ваня', 'дядя ваня'],
    ['Ｍａｒｔｉｎ', 'martin'],
  ])('%s', (text, folded) => expect(foldText(text)).toBe(folded));

  test('a label has no spaces and hyphens', () => {
    expect(['E-12', 'e 12', 'E12'].map(foldCode)).toEqual(['e12', 'e12', 'e12']);
  });
});

const NOBODY = [null, null] as const;

describeOnEachEngine('a ticket of a performance is found', (fixture) => {
  /** Orders for one performance, of which each ticket has one of these names. */
  const sell = async (...orders: readonly (readonly (readonly [string | null, string | null])[])[]) => {
    const first = createConfirmedOrder();
    const made: Confirmed[] = [];
    for (const [index, names] of orders.entries()) {
      const order = createConfirmedOrder(names.length);
      const seats = order.tickets.map((ticket, seat) => ({
        ...ticket,
        performanceId: getPerformanceId(first),
        place: { ...ticket.place, label: `${'ABCDEFG'[index]}-${seat + 1}` },
        beneficiary: { firstName: names[seat]?.[0] ?? null, lastName: names[seat]?.[1] ?? null },
      }));
      made.push(await issueOrder(fixture, { ...order, number: `number${index}2`, tickets: seats } as Confirmed));
    }
    return { performanceId: getPerformanceId(first), orders: made };
  };
  const find = async (performanceId: string, q: string, more: Parameters<typeof fixture.call>[2] = {}, query = '') => {
    const address = `${PATH}?performanceId=${performanceId}&q=${encodeURIComponent(q)}${query}`;
    const reply = await fixture.call('GET', address, more);
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.data as unknown as { items: TicketView[]; nextCursor: string | null };
  };
  const foundBy = async (performanceId: string, q: string, more?: Parameters<typeof fixture.call>[2]) =>
    (await find(performanceId, q, more)).items.map(({ id }) => id).sort();
  const idsOf = (...some: readonly (Confirmed | undefined)[]) =>
    some.flatMap((order) => order?.tickets.map(({ ticketId }) => ticketId) ?? []).sort();

  test('by the number of its order, as a whole and in any case', async () => {
    const { performanceId, orders } = await sell([NOBODY, NOBODY], [NOBODY]);
    expect(await foundBy(performanceId, 'NUMBER02')).toEqual(idsOf(orders[0]));
    expect(await foundBy(performanceId, 'number')).toEqual([]);
  });

  test("by the beginning of its place's label, however that is typed", async () => {
    const { performanceId, orders } = await sell([NOBODY, NOBODY], [NOBODY]);
    for (const q of ['A', 'a-']) expect(await foundBy(performanceId, q)).toEqual(idsOf(orders[0]));
    for (const q of ['B1', 'b 1', 'B-1']) expect(await foundBy(performanceId, q)).toEqual(idsOf(orders[1]));
  });

  test("by the beginning of the beneficiary's name, first or last, without accents and case", async () => {
    const { performanceId, orders } = await sell([['Élodie', 'Martin']], [['Martina', "d'Ormesson"]], [[null, 'Weiß']]);
    const [elodie, martina, weiss] = orders;
    expect(await foundBy(performanceId, 'martin')).toEqual(idsOf(elodie, martina));
    for (const q of ['elo', 'ÉLODIE MART', 'Martin, Élodie'])
      expect(await foundBy(performanceId, q)).toEqual(idsOf(elodie));
    expect(await foundBy(performanceId, 'D’ormesson')).toEqual(idsOf(martina));
    expect(await foundBy(performanceId, 'WEISS')).toEqual(idsOf(weiss));
    for (const q of ['artin', 'nobody']) expect(await foundBy(performanceId, q)).toEqual([]);
  });

  test('in this performance alone, page by page, each once', async () => {
    // Name and label begin alike: each is found by both.
    const { performanceId, orders } = await sell(Array.from({ length: 5 }, () => ['Ada', 'A1'] as const));
    await sell([['Ada', null]]);
    const pages: string[][] = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = await find(performanceId, 'a', {}, `&limit=2${cursor}`);
      pages.push(items.map(({ id }) => id));
      if (nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat().sort()).toEqual(idsOf(orders[0]));
  });

  test('by its present name: a replacement has the new one, an erasure leaves none', async () => {
    const contactNumber = `C${Date.now()}`;
    const sold = addMembers(createConfirmedOrder(1, contactNumber), { beneficiary: { lastName: 'Martin' } });
    const { id, performanceId } = await issueAndPrint(fixture, sold);
    const renamed = await fixture.call('PATCH', `${PATH}/${id}`, { body: { beneficiary: { lastName: 'Haskil' } } });
    expect(await foundBy(performanceId, 'Haskil')).toEqual([renamed.data.id]);
    expect(await foundBy(performanceId, 'Martin')).toEqual([id]);
    await fixture.deliver('contact.erased', { contactNumber });
    for (const name of ['Haskil', 'Martin']) expect(await foundBy(performanceId, name)).toEqual([]);
    const stored = await fixture.context.collections(fixture.institution).tickets.find({ where: { performanceId } });
    expect(JSON.stringify(stored)).not.toMatch(/martin|haskil/i);
    expect(await foundBy(performanceId, 'A1')).toEqual([id, String(renamed.data.id)].sort());
  });

  test('also if an earlier release has issued it, by the number that follows from its order', async () => {
    const order = addMembers(createConfirmedOrder(2), { beneficiary: { lastName: 'Martin' } });
    await issueOrder(fixture, order);
    const { tickets } = fixture.context.collections(fixture.institution);
    const raw = fixture.store.collection(ticketsCollection).of(fixture.institution);
    const numberOf = async () => (await tickets.get(getFirstTicketId(order)))?.search?.order ?? '';
    const number = await numberOf();
    expect(number).toMatch(/^[a-km-z2-9]{8}$/);
    for (const { ticketId } of order.tickets) await raw.update(ticketId, ({ search: _, ...old }) => ({ next: old }));
    const before = await fixture.call('GET', `${PATH}/${getFirstTicketId(order)}`);
    expect(await foundBy(getPerformanceId(order), 'martin')).toEqual(idsOf(order));
    expect(await foundBy(getPerformanceId(order), number)).toEqual(idsOf(order));
    const after = await fixture.call('GET', `${PATH}/${getFirstTicketId(order)}`);
    expect([after.data, after.headers.get('etag')]).toEqual([before.data, before.headers.get('etag')]);
  });

  test('by the door and within the bounds of its user', async () => {
    const pointOfSale = 'north.opera.example';
    const order = await issueOrder(fixture, { ...createConfirmedOrder(1, 'C1'), pointOfSale });
    const found = (user: Parameters<typeof createBoxOfficeUser>[0] | object) =>
      foundBy(getPerformanceId(order), 'A-1', { user } as never);
    for (const user of [door, createBoxOfficeUser(pointOfSale), createCustomerUser('C1')])
      expect(await found(user)).toEqual(idsOf(order));
    for (const user of [createBoxOfficeUser('south.opera.example'), createCustomerUser('C2')])
      expect(await found(user)).toEqual([]);
  });

  test('with a performance, and at least a letter or a digit', async () => {
    const refused = async (query: string) => toCodes(await fixture.call('GET', `${PATH}?${query}`));
    expect(await refused('q=Martin')).toEqual([400, 'missing_parameter']);
    expect(await refused('performanceId=prf_1&q=-')).toEqual([400, 'invalid_parameter']);
    expect(await refused('performanceId=prf_1&q=%20')).toEqual([400, 'invalid_parameter']);
  });
});
