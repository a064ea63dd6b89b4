import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createContext, createInstitutionContext } from '../../src/context.ts';
import { nameTicket } from '../../src/tickets/shop.ts';
import { crashAtEachWrite } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, readTicket, SERVICE_SECRET } from '../fixture/service.ts';
import {
  addMembers,
  createConfirmedOrder,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  leaveInterruptedReplacement,
  readOrderTickets,
  readShopTicket,
  SHOP,
  type ShopTicket,
  toCancelledOrder,
} from '../fixture/tickets.ts';

// rule 2: The beneficiary's first and last name of a ticket can be set | services/tickets/src/tickets/replacement.ts

const ana = { firstName: 'Ana', lastName: 'Martin' };

describeOnEachEngine('a shop names the beneficiary', (fixture) => {
  const name = (id: string, body: object) => fixture.call('POST', `${SHOP}/${id}/beneficiary`, { body });

  test('the beneficiary changes in place before printing; absent members stay, null removes', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    const beneficiaryAfter = async (body: object) => {
      const reply = await name(id, body);
      expect([reply.status, readShopTicket(reply).id]).toEqual([200, id]);
      return readShopTicket(reply).beneficiary;
    };
    expect(await beneficiaryAfter(ana)).toEqual(ana);
    expect(await beneficiaryAfter({ lastName: 'Moreau' })).toEqual({ firstName: 'Ana', lastName: 'Moreau' });
    expect(await beneficiaryAfter({ firstName: null })).toEqual({ firstName: null, lastName: 'Moreau' });
    expect(await beneficiaryAfter({})).toEqual({ firstName: null, lastName: 'Moreau' });
    expect(await beneficiaryAfter({ lastName: null })).toBeNull();
  });

  test('names are trimmed: the same name with white space changes nothing', async () => {
    const { id } = await issueAndPrint(fixture);
    const next = readShopTicket(await name(id, { firstName: ' Ana ', lastName: ' Martin' }));
    expect(next.beneficiary).toEqual(ana);
    expect(readShopTicket(await name(next.id, { firstName: 'Ana  ' })).id).toBe(next.id);
  });

  test('for a printed ticket the answer is the replacing one; a repeat returns it as it is then', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const next = readShopTicket(await name(id, ana));
    expect(next).toMatchObject({ status: 'printed', replaces: id, beneficiary: ana, contactNumber: null });
    expect(next.id).not.toBe(id);
    expect(readShopTicket(await name(id, ana)).id).toBe(next.id);
    expect(readShopTicket(await name(next.id, ana)).id).toBe(next.id);
    await fixture.call('POST', `${PATH}/${next.id}/control`);
    expect(readShopTicket(await name(id, ana))).toMatchObject({ id: next.id, status: 'controlled' });
    const facts = (await fixture.facts(order.orderId)).map(({ type }) => type);
    expect(facts).toEqual(['ticket.replaced', 'ticket.controlled']);
    const { replacements } = fixture.context.collections(fixture.institution);
    expect(await replacements.find({ where: { ticketId: id } })).toEqual([]);
  });

  test('a controlled, a cancelled and a replaced ticket are refused, each with its own code', async () => {
    const statusOf = async (id: string) => (await name(id, { lastName: 'Late' })).body.status;
    const { order, id } = await issueAndPrint(fixture);
    const next = readShopTicket(await name(id, ana)).id;
    expect(await statusOf(id)).toBe('conflict');
    await fixture.call('POST', `${PATH}/${next}/control`);
    expect(await statusOf(next)).toBe('ticket_already_controlled');
    await fixture.deliver('order.cancelled', toCancelledOrder(order, { override: true }), { version: 9 });
    expect(await statusOf(next)).toBe('precondition_failed');
    expect(await statusOf('tic_unknown')).toBe('not_found');
  });

  test('an invalid body is 400 and changes nothing', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    for (const body of [{ lastName: '' }, { lastName: ' ' }, { lastName: 'x'.repeat(101) }, { nonsense: 1 }])
      expect((await name(id, body)).body.status).toBe('validation_error');
    for (const body of [{ lastName: 7 }, []]) expect((await name(id, body)).body.status).toBe('bad_request');
    expect((await fixture.call('GET', `${SHOP}/${id}`)).data).toMatchObject({ beneficiary: null });
  });

  test('ten concurrent requests with the same name create one ticket', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const replies = await Promise.all(Array.from({ length: 10 }, () => name(id, ana)));
    expect(new Set(replies.map((reply) => `${reply.status} ${readShopTicket(reply).id}`)).size).toBe(1);
    expect((await readOrderTickets(fixture, order.orderId)).tickets).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)(
    'a repeat completes a change whose process died %s any write',
    async (when) => {
      const { order, id } = await issueAndPrint(fixture);
      const run = (store: typeof fixture.store) =>
        nameTicket(createInstitutionContext(createContext(store, SERVICE_SECRET), fixture.institution), id, ana);
      expect(await crashAtEachWrite(fixture.store, run, when)).toBeGreaterThan(0);
      const { tickets } = await readOrderTickets(fixture, order.orderId);
      expect(tickets).toHaveLength(1);
      const next = readShopTicket(await fixture.call('GET', `${SHOP}/${tickets[0]?.ticketId}`));
      expect(next).toMatchObject({ replaces: id, beneficiary: ana });
      expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.replaced']);
    },
  );
});

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
    const order = addMembers(createConfirmedOrder(1, contact), { productId: 'prd_1', startDate: EARLY });
    await issueOrder(fixture, order);
    const ticket = readShopTicket(await fixture.call('GET', `${SHOP}/${getFirstTicketId(order)}`));
    const inFamilyA = (await fixture.call('GET', `${PATH}/${getFirstTicketId(order)}`)).data;
    expect(ticket).toEqual({ ...inFamilyA, contactNumber: contact, productId: 'prd_1', startDate: EARLY });
    expect(inFamilyA).not.toHaveProperty('contactNumber');
    expect((await fixture.call('GET', `${SHOP}/tic_unknown`)).status).toBe(404);
  });

  test('the tickets of a contact are ordered by start, then by id, unknown starts last', async () => {
    const contact = someone();
    const late = await issueOrder(fixture, addMembers(createConfirmedOrder(3, contact), { startDate: LATE }));
    const startDate = '2027-03-14T20:00:00+01:00';
    const early = await issueOrder(fixture, addMembers(createConfirmedOrder(2, contact), { startDate }));
    const unknown = await issueOrder(fixture, createConfirmedOrder(1, contact));
    await issueOrder(fixture, createConfirmedOrder(1, someone()));
    const expected = [early, late, unknown].flatMap(({ tickets }) => tickets.map(({ ticketId }) => ticketId).sort());
    const tickets = await list(`contactNumber=${contact}`);
    expect(idsOf(tickets)).toEqual(expected);
    expect(tickets.map(({ startDate }) => startDate)).toEqual([EARLY, EARLY, LATE, LATE, LATE, null]);
    expect(await list(`contactNumber=${contact}&orderIds=${early.orderId},ord_other`)).toHaveLength(2);
    expect(await list(`contactNumber=${someone()}`)).toEqual([]);
  });

  test('the tickets of up to a hundred orders are listed, in any status or in one', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const other = await issueOrder(fixture, createConfirmedOrder(1));
    const filler = Array.from({ length: 98 }, (_, index) => `ord_none_${index}`);
    const orderIds = [order.orderId, other.orderId, ...filler].join(',');
    expect(await list(`orderIds=${orderIds}`)).toHaveLength(3);
    expect(idsOf(await list(`orderIds=${orderIds}&status=not_printed`))).toEqual([getFirstTicketId(other)]);
    const next = readTicket(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
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
    const order = addMembers(createConfirmedOrder(1, contact), { productId: 'prd_1', startDate: LATE });
    const { id } = await issueAndPrint(fixture, order);
    await leaveInterruptedReplacement(fixture, id);
    expect(await list(`contactNumber=${contact}&status=printed`)).toMatchObject([
      { replaces: id, productId: 'prd_1', startDate: LATE, contactNumber: contact },
    ]);
  });
});
