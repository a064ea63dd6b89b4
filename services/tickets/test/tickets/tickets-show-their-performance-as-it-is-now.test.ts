import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { createTicket } from '../../src/domain/order.ts';
import { shopTicket } from '../../src/examples.ts';
import { reactTo } from '../../src/reactions.ts';
import { crashAtEachWrite } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, readTicket, SERVICE_SECRET, waitUntilAfter } from '../fixture/service.ts';
import {
  addMembers,
  type Confirmed,
  createConfirmedOrder,
  getFirstTicketId,
  getPerformanceId,
  issueAndPrint,
  issueOrder,
  readShopTicket,
  SHOP,
  type ShopTicket,
} from '../fixture/tickets.ts';

const SOLD = '2031-03-14T19:00:00.000Z';
const about = { ...shopTicket.about, validUntil: '2031-06-30T22:00:00.000Z' };

const PRESENT = {
  startDate: '2031-04-02T18:00:00.000Z',
  timeZone: 'Europe/Athens',
  venue: { name: 'Odeon', city: null },
};

/** An order as it was sold, whatever became of its performance since. */
const sold = (lines = 1): Confirmed =>
  addMembers(createConfirmedOrder(lines, `C${Math.random()}`), { startDate: SOLD, about });

interface Described extends ShopTicket {
  readonly about: typeof about;
}

describeOnEachEngine('tickets show their performance as it is now', (fixture) => {
  const move = (order: Confirmed, to: object = PRESENT, version = 2) =>
    fixture.deliver('performance.moved', { performanceId: getPerformanceId(order), ...to }, { version });
  const shown = async (id: string) => readShopTicket(await fixture.call('GET', `${SHOP}/${id}`)) as Described;
  const whereabouts = ({ startDate, about: { timeZone, venue } }: Described) => ({ startDate, timeZone, venue });
  const eventsOf = async (id: string) =>
    (await fixture.store.outbox.pending(10_000))
      .filter(({ key, type }) => key === id && type === 'ticket.recorded')
      .map(({ data }) => (data as { event: { type: string } }).event.type);

  test('in lists, in the document, and in the order of a list', async () => {
    const { order, id } = await issueAndPrint(fixture, sold());
    const { contactNumber } = order;
    const later = addMembers({ ...sold(), contactNumber }, { startDate: '2031-03-20T19:00:00Z' });
    await issueOrder(fixture, later);
    await move(order);
    const { startDate, ...present } = PRESENT;
    expect(await shown(id)).toMatchObject({ startDate, about: { ...about, ...present } });
    const reply = await fixture.call('GET', `${SHOP}?contactNumber=${contactNumber}`);
    const { tickets } = reply.data as unknown as { tickets: Described[] };
    expect(tickets.map((ticket) => ticket.id)).toEqual([getFirstTicketId(later), id]);
    const accept = { headers: { accept: 'image/svg+xml', 'accept-language': 'en' } };
    const document = await fixture.call('GET', `${PATH}/${id}/document`, accept);
    expect(document.text).toContain('Odeon');
    expect(document.text).toContain('Wednesday, 2 April 2031 at 21:00');
    expect(document.text).not.toContain('Genève');
  });

  test('a printed one is ticket.changed, once for each move, and its code opens the door', async () => {
    const { order, id } = await issueAndPrint(fixture, sold());
    const before = await fixture.ticket(id);
    await waitUntilAfter(before.updatedAt);
    await move(order);
    await move(order);
    const moved = await fixture.ticket(id);
    expect(moved).toEqual({ ...before, updatedAt: expect.any(String) });
    expect(moved.updatedAt > before.updatedAt).toBe(true);
    expect(await eventsOf(id)).toEqual(['ticket.issued', 'ticket.printed', 'ticket.changed']);
    await move(order, { ...PRESENT, venue: { name: 'Agora', city: 'Athina' } }, 3);
    expect((await eventsOf(id)).slice(3)).toEqual(['ticket.changed']);
    const control = await fixture.call('POST', `${PATH}/control`, { body: { barcode: before.barcode } });
    expect([control.status, readTicket(control).status]).toEqual([200, 'controlled']);
  });

  test('an earlier version of the performance, and the same place again, change nothing', async () => {
    const { order, id } = await issueAndPrint(fixture, sold());
    await move(order, PRESENT, 5);
    await move(order, { ...PRESENT, startDate: SOLD }, 4);
    await move(order, PRESENT, 6);
    await move(order, { ...PRESENT, startDate: SOLD }, 5);
    expect(whereabouts(await shown(id))).toEqual(PRESENT);
    expect((await eventsOf(id)).filter((type) => type === 'ticket.changed')).toHaveLength(1);
  });

  test('one that is issued, printed, named or replaced after the move, with what was copied when it was sold', async () => {
    const order = sold(2);
    await move(order);
    await issueAndPrint(fixture, order);
    const [first = '', second = ''] = order.tickets.map(({ ticketId }) => ticketId);
    expect(whereabouts(await shown(first))).toEqual(PRESENT);
    const replacement = readTicket(await fixture.call('POST', `${PATH}/${first}/replacement`, { body: {} }));
    expect(whereabouts(await shown(replacement.id))).toEqual(PRESENT);
    const naming = { body: { lastName: 'Martin' } };
    const named = readShopTicket(await fixture.call('POST', `${SHOP}/${second}/beneficiary`, naming)) as Described;
    expect([named.replaces, whereabouts(named)]).toEqual([second, PRESENT]);
    expect(await eventsOf(second)).toEqual(['ticket.issued', 'ticket.printed', 'ticket.replaced']);
  });

  test('one of an earlier release, without a description, and one of another performance', async () => {
    const [old, other] = [await issueOrder(fixture, createConfirmedOrder()), await issueOrder(fixture, sold())];
    await move(old);
    expect(await shown(getFirstTicketId(old))).toMatchObject({ startDate: PRESENT.startDate });
    expect(await shown(getFirstTicketId(old))).not.toHaveProperty('about');
    expect((await shown(getFirstTicketId(other))).startDate).toBe(SOLD);
    expect(await eventsOf(getFirstTicketId(old))).toEqual(['ticket.issued']);
  });

  test.each(['before', 'after'] as const)(
    'the repeated event completes what a crash %s a write has left',
    async (when) => {
      const { order } = await issueAndPrint(fixture, sold(3));
      const data = { performanceId: getPerformanceId(order), ...PRESENT };
      const moved = { id: 'evt', type: 'performance.moved', key: 'any', occurredAt: 'any', version: 2, data };
      const message = { ...moved, institution: fixture.institution };
      const run = (store: Store) => reactTo(createContext(store, SERVICE_SECRET))(message);
      expect(await crashAtEachWrite(fixture.store, run, when)).toBeGreaterThan(1);
      for (const { ticketId } of order.tickets) expect((await eventsOf(ticketId)).slice(2)).toEqual(['ticket.changed']);
    },
  );

  test('all 2,000 of a performance, while the door goes on', async () => {
    const { tickets } = fixture.context.collections(fixture.institution);
    const order = sold(2_000);
    const now = new Date().toISOString();
    const confirmed = { id: order.orderId, contactNumber: null, asOf: 1, ticketDelivery: 'electronic' as const };
    await tickets.insertMany(order.tickets.map((one) => createTicket(confirmed, one, `code ${one.ticketId}`, now)));
    const { id: guest } = await issueAndPrint(fixture, sold());
    let isMoved = false;
    const moved = move(order).then(() => {
      isMoved = true;
    });
    const { status } = await fixture.call('POST', `${PATH}/${guest}/control`, { body: {} });
    expect([status, isMoved]).toEqual([200, false]);
    await moved;
    const where = { performanceId: getPerformanceId(order), movedAsOf: { ne: 2 } };
    expect(await tickets.find({ where, limit: 10 })).toEqual([]);
  }, 300_000);
});
