import { randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { resumeInterruptedReplacements } from '../../src/tickets/replacement.ts';
import { crashAtEachWrite, createCrashingStore } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, readTicket, SERVICE_SECRET, startInstance } from '../fixture/service.ts';
import {
  createConfirmedOrder,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  leaveInterruptedReplacement,
  readOrderTickets,
  toCancelledOrder,
} from '../fixture/tickets.ts';

describeOnEachEngine('a replacement invalidates the old ticket', (fixture) => {
  const replace = (id: string, headers?: Record<string, string>, on = fixture.call) =>
    on('POST', `${PATH}/${id}/replacement`, { body: { reason: 'lost' }, headers });
  const control = (id: string) => fixture.call('POST', `${PATH}/${id}/control`);

  test('the new ticket is printed, and the control of the old one is refused with the id of the new one', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const old = await fixture.ticket(id);
    const reply = await replace(id);
    const next = readTicket(reply);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`${PATH}/${next.id}`);
    expect(next).toMatchObject({ status: 'printed', replaces: id, replacedBy: null, place: old.place });
    expect(next.barcode).not.toBe(old.barcode);
    expect((await fixture.call('GET', `${PATH}/${next.id}`)).text).toBe(reply.text);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'invalidated', replacedBy: next.id });
    const refused = await control(id);
    expect(refused.status).toBe(412);
    expect(refused.body.details).toContain(next.id);
    expect((await replace(id)).status).toBe(412);
    const byBarcode = await fixture.call('GET', `${PATH}?barcode=${encodeURIComponent(old.barcode)}`);
    expect(byBarcode.data).toMatchObject({ items: [{ id, status: 'invalidated', replacedBy: next.id }] });
    expect((await control(next.id)).status).toBe(200);
    expect(await fixture.facts(order.orderId)).toMatchObject([
      {
        type: 'ticket.replaced',
        version: 1,
        data: { ticketId: next.id, replaces: id, orderId: order.orderId, lineId: order.tickets[0]?.lineId },
      },
      { type: 'ticket.controlled', version: 2 },
    ]);
  });

  test('only a printed ticket is replaced', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    expect((await replace(id)).status).toBe(412);
    await fixture.call('POST', `${PATH}/${id}/printing`);
    await control(id);
    expect((await replace(id)).status).toBe(412);
  });

  test('a beneficiary without any member is 400, and without any name nobody', async () => {
    const { id } = await issueAndPrint(fixture);
    const change = (beneficiary: object | null) => fixture.call('PATCH', `${PATH}/${id}`, { body: { beneficiary } });
    const refused = { status: 'validation_error', details: '$.beneficiary must not be empty.', data: null };
    expect(await change({})).toMatchObject({ status: 400, body: refused });
    for (const nobody of [null, { firstName: null }, { firstName: null, lastName: null }])
      expect(readTicket(await change(nobody))).toMatchObject({ id, beneficiary: null });
  });

  test('another name on a printed ticket creates a new ticket, the same name does not', async () => {
    const { id } = await issueAndPrint(fixture);
    const rename = (of: string, lastName: string) =>
      fixture.call('PATCH', `${PATH}/${of}`, { body: { beneficiary: { lastName } } });
    const renamed = await rename(id, 'Martin');
    expect(renamed.status).toBe(200);
    const next = readTicket(renamed);
    const beneficiary = { firstName: null, lastName: 'Martin' };
    expect(next).toMatchObject({ replaces: id, status: 'printed', beneficiary });
    expect(readTicket(await rename(next.id, 'Martin')).id).toBe(next.id);
    expect((await rename(id, 'Late')).status).toBe(412);
    const third = readTicket(await replace(next.id));
    expect(third).toMatchObject({ replaces: next.id, beneficiary });
    await control(third.id);
    expect((await rename(third.id, 'Late')).status).toBe(412);
  });

  test('of twenty concurrent replacements one is 201', async () => {
    const { id } = await issueAndPrint(fixture);
    const replies = await Promise.all(Array.from({ length: 20 }, () => replace(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(412)]);
  });

  test.each(['before', 'after'] as const)(
    'a replacement whose process dies %s any write leaves one valid ticket',
    async (when) => {
      for (let write = 1; write <= 4; write += 1) {
        const { order, id } = await issueAndPrint(fixture);
        const dying = await startInstance(createCrashingStore(fixture.store, write, when), fixture.institution);
        const headers = { 'idempotency-key': randomUUID() };
        const quiet = console.error;
        console.error = () => {};
        const lost = await replace(id, headers, dying.call);
        console.error = quiet;
        await dying.close();
        expect(lost.status).toBe(500);
        const repeat = await replace(id, headers);
        expect(repeat.status).toBe(201);
        const next = readTicket(repeat);
        expect(next.replaces).toBe(id);
        expect((await control(id)).status).toBe(412);
        expect((await control(next.id)).status).toBe(200);
        expect((await readOrderTickets(fixture, order.orderId)).tickets).toMatchObject([{ ticketId: next.id }]);
        const facts = await fixture.facts(order.orderId);
        expect(facts.map(({ type }) => type)).toEqual(['ticket.replaced', 'ticket.controlled']);
      }
    },
  );

  test('the sweep completes an interrupted replacement, and may die at any write', async () => {
    const { order, id } = await issueAndPrint(fixture);
    await leaveInterruptedReplacement(fixture, id);
    const later = () => Date.now() + 60_000;
    const sweep = (store: Store) => resumeInterruptedReplacements(createContext(store, SERVICE_SECRET, later));
    await crashAtEachWrite(fixture.store, sweep, 'after');
    expect((await readOrderTickets(fixture, order.orderId)).tickets).toHaveLength(1);
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.replaced']);
    const { tickets, replacements } = fixture.context.collections(fixture.institution);
    const found = await tickets.find({ where: { orderId: order.orderId } });
    expect(found.map(({ status }) => status).sort()).toEqual(['invalidated', 'printed']);
    expect(await replacements.find({ where: { ticketId: id } })).toEqual([]);
  });

  test('a replacement that races with the cancellation leaves no live ticket', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
      const [reply] = await Promise.all([
        replace(id),
        fixture.deliver('order.cancelled', toCancelledOrder(order)),
        fixture.deliver('order.cancelled', toCancelledOrder(order)),
      ]);
      expect([201, 412]).toContain(reply.status);
      const { tickets } = await readOrderTickets(fixture, order.orderId);
      expect(tickets.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'tickets.cancelled');
      expect(facts).toMatchObject([{ data: { ticketsCancelled: 2, controlled: 0 } }]);
    }
  });
});
