import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { nameTicket } from '../../src/shop/shop.ts';
import { untilNoneDies } from '../fixture/crashes.ts';
import { engines, missing } from '../fixture/engines.ts';
import { askedBy, cancelled, firstOf, issued, PATH, printed, SHOP, shopTicketOf } from '../fixture/orders.ts';
import { type Fixture, openFixture, SERVICE_SECRET } from '../fixture/service.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };

describe.each(engines)(`naming the beneficiary, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const name = (id: string, body: object) => fixture.call('POST', `${SHOP}/${id}/beneficiary`, { body });

  test('in place while it is not printed; absent stays, null removes', async () => {
    const id = firstOf(await issued(fixture));
    const beneficiaryAfter = async (body: object) => {
      const reply = await name(id, body);
      expect([reply.status, shopTicketOf(reply).id]).toEqual([200, id]);
      return shopTicketOf(reply).beneficiary;
    };
    expect(await beneficiaryAfter(ana)).toEqual(ana);
    expect(await beneficiaryAfter({ lastName: 'Moreau' })).toEqual({ firstName: 'Ana', lastName: 'Moreau' });
    expect(await beneficiaryAfter({ firstName: null })).toEqual({ firstName: null, lastName: 'Moreau' });
    expect(await beneficiaryAfter({})).toEqual({ firstName: null, lastName: 'Moreau' });
    expect(await beneficiaryAfter({ lastName: null })).toBeNull();
  });

  test('trimmed: the same name with white space around it is no other', async () => {
    const { id } = await printed(fixture);
    const next = shopTicketOf(await name(id, { firstName: ' Ana ', lastName: ' Martin' }));
    expect(next.beneficiary).toEqual(ana);
    expect(shopTicketOf(await name(next.id, { firstName: 'Ana  ' })).id).toBe(next.id);
  });

  test('on a printed one the replacing ticket, with its new id; a repeat gives it again, as it then is', async () => {
    const { order, id } = await printed(fixture);
    const next = shopTicketOf(await name(id, ana));
    expect(next).toMatchObject({ status: 'printed', replaces: id, beneficiary: ana, contactNumber: null });
    expect(next.id).not.toBe(id);
    expect(shopTicketOf(await name(id, ana)).id).toBe(next.id);
    expect(shopTicketOf(await name(next.id, ana)).id).toBe(next.id);
    await fixture.call('POST', `${PATH}/${next.id}/control`);
    expect(shopTicketOf(await name(id, ana))).toMatchObject({ id: next.id, status: 'controlled' });
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual([
      'ticket.replaced',
      'ticket.controlled',
    ]);
    const notes = await fixture.context.collections(fixture.institution).replacements.find({ where: { ticketId: id } });
    expect(notes).toEqual([]);
  });

  test('refused on a controlled, a cancelled and a replaced one, each with its own code', async () => {
    const statusOf = async (id: string) => (await name(id, { lastName: 'Late' })).body.status;
    const { order, id } = await printed(fixture);
    const next = shopTicketOf(await name(id, ana)).id;
    expect(await statusOf(id)).toBe('conflict');
    await fixture.call('POST', `${PATH}/${next}/control`);
    expect(await statusOf(next)).toBe('ticket_already_controlled');
    await fixture.hear('order.cancelled', cancelled(order, { override: true }), { version: 9 });
    expect(await statusOf(next)).toBe('precondition_failed');
    expect(await statusOf('tic_unknown')).toBe('not_found');
  });

  test('nonsense is a form error, and changes nothing', async () => {
    const id = firstOf(await issued(fixture));
    for (const body of [{ lastName: '' }, { lastName: ' ' }, { lastName: 'x'.repeat(101) }, { nonsense: 1 }])
      expect((await name(id, body)).body.status).toBe('validation_error');
    for (const body of [{ lastName: 7 }, []]) expect((await name(id, body)).body.status).toBe('bad_request');
    expect((await fixture.call('GET', `${SHOP}/${id}`)).data).toMatchObject({ beneficiary: null });
  });

  test('ten at once with the same name make one ticket', async () => {
    const { order, id } = await printed(fixture);
    const replies = await Promise.all(Array.from({ length: 10 }, () => name(id, ana)));
    expect(new Set(replies.map((reply) => `${reply.status} ${shopTicketOf(reply).id}`)).size).toBe(1);
    expect((await askedBy(fixture, order.orderId)).tickets).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)('a process that dies %s any write: the repeat ends it', async (when) => {
    const { order, id } = await printed(fixture);
    const run = (store: typeof fixture.store) =>
      nameTicket(createContext(store, SERVICE_SECRET), fixture.institution, id, ana);
    expect(await untilNoneDies(fixture.store, run, when)).toBeGreaterThan(0);
    const { tickets } = await askedBy(fixture, order.orderId);
    expect(tickets).toHaveLength(1);
    const next = shopTicketOf(await fixture.call('GET', `${SHOP}/${tickets[0]?.ticketId}`));
    expect(next).toMatchObject({ replaces: id, beneficiary: ana });
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.replaced']);
  });
});
