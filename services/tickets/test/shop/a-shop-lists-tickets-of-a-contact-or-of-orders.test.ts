import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { contextIn, createContext } from '../../src/context.ts';
import { replaceTicket } from '../../src/tickets/replacement.ts';
import { crashingAt } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, SERVICE_SECRET, ticketOf } from '../fixture/service.ts';
import {
  confirmed,
  firstOf,
  issued,
  printed,
  SHOP,
  type ShopTicket,
  shopTicketOf,
  withMembers,
} from '../fixture/tickets.ts';

const [EARLY, LATE] = ['2027-03-14T19:00:00.000Z', '2027-05-01T18:30:00.000Z'];

describeOnEachEngine('a shop lists the tickets of a contact or of orders', (fixture) => {
  const send = (query: string) => fixture.call('GET', `${SHOP}?${query}`);
  const list = async (query: string): Promise<ShopTicket[]> => {
    const reply = await send(query);
    expect(reply.status).toBe(200);
    return (reply.data as { tickets: ShopTicket[] }).tickets;
  };
  const idsOf = (tickets: readonly { id: string }[]) => tickets.map(({ id }) => id);
  const someone = () => `C${randomUUID().slice(0, 12)}`;

  test('a ticket contains its buyer, product and start date', async () => {
    const contact = someone();
    const order = withMembers(confirmed(1, contact), { productId: 'prd_1', startDate: EARLY });
    await issued(fixture, order);
    const ticket = shopTicketOf(await fixture.call('GET', `${SHOP}/${firstOf(order)}`));
    const inFamilyA = (await fixture.call('GET', `${PATH}/${firstOf(order)}`)).data;
    expect(ticket).toEqual({ ...inFamilyA, contactNumber: contact, productId: 'prd_1', startDate: EARLY });
    expect(inFamilyA).not.toHaveProperty('contactNumber');
    expect((await fixture.call('GET', `${SHOP}/tic_unknown`)).status).toBe(404);
  });

  test('the tickets of a contact are ordered by start, then by id, unknown starts last', async () => {
    const contact = someone();
    const late = await issued(fixture, withMembers(confirmed(3, contact), { startDate: LATE }));
    const early = await issued(fixture, withMembers(confirmed(2, contact), { startDate: '2027-03-14T20:00:00+01:00' }));
    const unknown = await issued(fixture, confirmed(1, contact));
    await issued(fixture, confirmed(1, someone()));
    const expected = [early, late, unknown].flatMap(({ tickets }) => tickets.map(({ ticketId }) => ticketId).sort());
    const tickets = await list(`contactNumber=${contact}`);
    expect(idsOf(tickets)).toEqual(expected);
    expect(tickets.map(({ startDate }) => startDate)).toEqual([EARLY, EARLY, LATE, LATE, LATE, null]);
    expect(await list(`contactNumber=${contact}&orderIds=${early.orderId},ord_other`)).toHaveLength(2);
    expect(await list(`contactNumber=${someone()}`)).toEqual([]);
  });

  test('the tickets of up to a hundred orders are listed, in any status or in one', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const other = await issued(fixture, confirmed(1));
    const filler = Array.from({ length: 98 }, (_, index) => `ord_none_${index}`);
    const orderIds = [order.orderId, other.orderId, ...filler].join(',');
    expect(await list(`orderIds=${orderIds}`)).toHaveLength(3);
    expect(idsOf(await list(`orderIds=${orderIds}&status=not_printed`))).toEqual([firstOf(other)]);
    const next = ticketOf(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
    expect(await list(`orderIds=${orderIds}&status=invalidated`)).toMatchObject([{ id, replacedBy: next }]);
    expect((await send(`orderIds=${orderIds},ord_one_too_many`)).body.status).toBe('invalid_parameter');
  });

  test('a query without contact and orders is missing_parameter, an invalid value invalid_parameter', async () => {
    for (const query of ['', 'status=printed']) expect((await send(query)).body.status).toBe('missing_parameter');
    for (const query of ['orderIds=', 'orderIds=,', 'contactNumber=', 'contactNumber=C1&status=lost', 'nonsense=1'])
      expect((await send(query)).body.status).toBe('invalid_parameter');
  });

  test('a list after an interrupted replacement contains the new ticket', async () => {
    const contact = someone();
    const { id } = await printed(fixture, withMembers(confirmed(1, contact), { productId: 'prd_1', startDate: LATE }));
    const dying = createContext(crashingAt(fixture.store, 3, 'before'), SERVICE_SECRET);
    await expect(replaceTicket(contextIn(dying, fixture.institution), id, { ifMatch: () => {} })).rejects.toBeDefined();
    expect(await list(`contactNumber=${contact}&status=printed`)).toMatchObject([
      { replaces: id, productId: 'prd_1', startDate: LATE, contactNumber: contact },
    ]);
  });

  test('a new buyer gets all tickets of the order, replaced ones included', async () => {
    const [before, after] = [someone(), someone()];
    const { order, id } = await printed(fixture, confirmed(1, before));
    await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} });
    await fixture.deliver('order.confirmed', { ...order, contactNumber: after }, { version: 9 });
    expect(await list(`contactNumber=${before}`)).toEqual([]);
    const tickets = await list(`contactNumber=${after}`);
    expect(tickets.map(({ contactNumber }) => contactNumber)).toEqual([after, after]);
  });
});
