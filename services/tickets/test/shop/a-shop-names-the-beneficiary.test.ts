// rule 2: The beneficiary's first and last name of a ticket can be set | services/tickets/src/tickets/replacement.ts

import { expect, test } from '@jest/globals';
import { contextIn, createContext } from '../../src/context.ts';
import { nameTicket } from '../../src/tickets/shop.ts';
import { untilNoneCrashes } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, SERVICE_SECRET } from '../fixture/service.ts';
import { cancelled, firstOf, issued, orderTicketsOf, printed, SHOP, shopTicketOf } from '../fixture/tickets.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };

describeOnEachEngine('a shop names the beneficiary', (fixture) => {
  const name = (id: string, body: object) => fixture.call('POST', `${SHOP}/${id}/beneficiary`, { body });

  test('the beneficiary changes in place before printing; absent members stay, null removes', async () => {
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

  test('names are trimmed: the same name with white space changes nothing', async () => {
    const { id } = await printed(fixture);
    const next = shopTicketOf(await name(id, { firstName: ' Ana ', lastName: ' Martin' }));
    expect(next.beneficiary).toEqual(ana);
    expect(shopTicketOf(await name(next.id, { firstName: 'Ana  ' })).id).toBe(next.id);
  });

  test('for a printed ticket the answer is the replacing one; a repeat returns it as it is then', async () => {
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
    const pending = await fixture.context
      .collections(fixture.institution)
      .replacements.find({ where: { ticketId: id } });
    expect(pending).toEqual([]);
  });

  test('a controlled, a cancelled and a replaced ticket are refused, each with its own code', async () => {
    const statusOf = async (id: string) => (await name(id, { lastName: 'Late' })).body.status;
    const { order, id } = await printed(fixture);
    const next = shopTicketOf(await name(id, ana)).id;
    expect(await statusOf(id)).toBe('conflict');
    await fixture.call('POST', `${PATH}/${next}/control`);
    expect(await statusOf(next)).toBe('ticket_already_controlled');
    await fixture.deliver('order.cancelled', cancelled(order, { override: true }), { version: 9 });
    expect(await statusOf(next)).toBe('precondition_failed');
    expect(await statusOf('tic_unknown')).toBe('not_found');
  });

  test('an invalid body is 400 and changes nothing', async () => {
    const id = firstOf(await issued(fixture));
    for (const body of [{ lastName: '' }, { lastName: ' ' }, { lastName: 'x'.repeat(101) }, { nonsense: 1 }])
      expect((await name(id, body)).body.status).toBe('validation_error');
    for (const body of [{ lastName: 7 }, []]) expect((await name(id, body)).body.status).toBe('bad_request');
    expect((await fixture.call('GET', `${SHOP}/${id}`)).data).toMatchObject({ beneficiary: null });
  });

  test('ten concurrent requests with the same name create one ticket', async () => {
    const { order, id } = await printed(fixture);
    const replies = await Promise.all(Array.from({ length: 10 }, () => name(id, ana)));
    expect(new Set(replies.map((reply) => `${reply.status} ${shopTicketOf(reply).id}`)).size).toBe(1);
    expect((await orderTicketsOf(fixture, order.orderId)).tickets).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)(
    'a repeat completes a change whose process died %s any write',
    async (when) => {
      const { order, id } = await printed(fixture);
      const run = (store: typeof fixture.store) =>
        nameTicket(contextIn(createContext(store, SERVICE_SECRET), fixture.institution), id, ana);
      expect(await untilNoneCrashes(fixture.store, run, when)).toBeGreaterThan(0);
      const { tickets } = await orderTicketsOf(fixture, order.orderId);
      expect(tickets).toHaveLength(1);
      const next = shopTicketOf(await fixture.call('GET', `${SHOP}/${tickets[0]?.ticketId}`));
      expect(next).toMatchObject({ replaces: id, beneficiary: ana });
      expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.replaced']);
    },
  );
});
