// rule commerce.5: ticket and place stay (`controlled`, `sold`) until a write with `override` | services/orders/src/saga/change.ts

import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { pay, read } from '../fixture/orders.ts';

const POLICY = { returnMinutes: 0, returnFee: null, exchangeMinutes: 0, exchangeFee: null };
const DEARER = 4_000;

/** What leaves: a line that is given back, or exchanged for another place, or for a dearer tariff on its own. */
const KINDS = ['return', 'place', 'tariff'] as const;
const EXCHANGES = ['place', 'tariff'] as const;
type Kind = (typeof KINDS)[number];

describeOnEachEngine('a ticket that is used while its line is changed', (fixture) => {
  const sell = async (kind: Kind) => {
    const old = fixture.catalog.hall(2);
    const other = fixture.catalog.hall(2, { amount: old.amount + DEARER });
    const dearer = fixture.catalog.tariff(old, old.amount + DEARER);
    for (const id of [old.tariffId, other.tariffId, dearer]) fixture.catalog.describe(id, { returnPolicy: POLICY });
    const { data } = await fixture.call('POST', '', { body: { items: [old.item(2)] } });
    const path = `/${data.id}`;
    await pay(fixture, path, { amount: data.total });
    const order = await read(fixture, path);
    const [lineId, ticketId] = [String(order.lines[0]?.id), String(order.lines[0]?.ticketId)];
    const { performanceId, seatCategoryId, tariffId } = kind === 'tariff' ? { ...old, tariffId: dearer } : other;
    const [difference, wanted] =
      kind === 'return'
        ? [0 - old.amount, { returns: [{ lineId }] }]
        : [DEARER, { exchanges: [{ lineId, performanceId, seatCategoryId, tariffId }] }];
    const change = (more: object = {}) =>
      fixture.call<{ id: string; state: string }>('POST', `${path}/changes`, {
        body: { ...wanted, difference, ...more },
        key: randomUUID(),
      });
    const quote = (more: object = {}) =>
      fixture.call<{ refusals: { status: string }[] }>('POST', `${path}/changes/quotes`, {
        body: { ...wanted, ...more },
      });
    const last = async () => (await fixture.document(order.id))?.changes?.at(-1);
    return {
      ...{ path, order, old, difference, change, quote, last },
      /** A door lets somebody in: tickets knows it at once, orders by the event. */
      letIn: () => fixture.tickets.controlled.set(order.id, [ticketId]),
      tell: () => fixture.deliver('ticket.controlled', { orderId: order.id, ticketId }, 2),
      payChange: async () => pay(fixture, path, { amount: DEARER, changeId: (await last())?.id }),
      countSold: () => [old, other].map((hall) => fixture.catalog.count(hall).sold),
      countHeld: () => [old, other].map((hall) => fixture.catalog.count(hall).held),
    };
  };
  type Made = Awaited<ReturnType<typeof sell>>;
  const PAID = { payment: { method: 'card', status: 'captured' } };

  const expectUnchanged = async ({ path, order, countSold, countHeld }: Made, credit = 0) => {
    await fixture.later();
    const { change, lines, formerLines, ...money } = await read(fixture, path);
    expect({ change, lines, formerLines }).toEqual({ change: null, lines: order.lines, formerLines: [] });
    expect(money).toMatchObject({ credit, due: 0 });
    expect([countSold(), countHeld()]).toEqual([
      [2, 0],
      [0, 0],
    ]);
  };

  /** The line is gone, and what it costs; its ticket stays with its place until the order is cancelled with override. */
  const expectKept = async (made: Made, kind: Kind) => {
    const { path, order, old, last, countSold } = made;
    await fixture.later();
    expect((await last())?.settlement).toMatchObject({ ticketsCancelled: 0, controlled: 1, placesReleased: 0 });
    const now = await read(fixture, path);
    expect(now.formerLines.map(({ id }) => id)).toEqual([order.lines[0]?.id]);
    expect([now.credit, now.due]).toEqual([kind === 'return' ? old.amount : 0, 0]);
    expect(countSold()).toEqual([2, kind === 'place' ? 1 : 0]);
    // By the event, where tickets does not answer: it is no ticket of the order any more.
    await made.tell();
    fixture.tickets.mishaps.set('getOrderTickets', 'fails');
    const cancel = (body: object) => fixture.call('POST', `${path}/cancellation`, { body });
    const facts = () => fixture.factsOf(order.id).filter(({ type }) => type === 'order.cancelled');
    for (const override of [false, true]) {
      expect((await cancel(override ? { override } : {})).status).toBe(200);
      await fixture.later();
      expect(facts().at(-1)?.data).toMatchObject({ hadTickets: true, override });
    }
    expect(facts()).toHaveLength(2);
    fixture.tickets.mishaps.clear();
  };

  test.each(KINDS)('between quote and change refuses it, of a %s', async (kind) => {
    const made = await sell(kind);
    expect((await made.quote()).data.refusals).toEqual([]);
    made.letIn();
    const { status, code } = await made.change(PAID);
    expect([status, code]).toEqual([412, 'order_ticket_controlled']);
    expect((await made.quote()).data.refusals).toMatchObject([{ status: 'order_ticket_controlled' }]);
    await expectUnchanged(made);
    const overridden = await made.change({ override: true, ...(kind !== 'return' && PAID) });
    expect(overridden.status).toBe(kind === 'return' ? 201 : 412);
    if (kind === 'return')
      expect((await made.last())?.settlement).toMatchObject({ ticketsCancelled: 1, controlled: 0 });
  });

  test.each(EXCHANGES)('while the change is pending makes it lapse, and its money is credit, of a %s', async (kind) => {
    const made = await sell(kind);
    expect((await made.change()).data.state).toBe('pending');
    made.letIn();
    await made.tell();
    await expectUnchanged(made);
    const { status, code } = await made.payChange();
    expect([status, code]).toEqual([412, 'payment_recorded']);
    await expectUnchanged(made, DEARER);
  });

  test('once it is paid for, and its place is not sold yet, makes it lapse, and its money is credit', async () => {
    const made = await sell('place');
    fixture.catalog.mishaps.set('sellHold', 'fails');
    await made.change(PAID);
    made.letIn();
    await made.tell();
    fixture.catalog.mishaps.clear();
    await expectUnchanged(made, DEARER);
  });

  test.each(EXCHANGES)('while it is pending, as only tickets knows when it is paid, stays, of a %s', async (kind) => {
    const made = await sell(kind);
    await made.change();
    made.letIn();
    expect((await made.payChange()).status).toBe(201);
    expect((await made.last())?.state).toBe('done');
    await expectKept(made, kind);
  });

  test.each(KINDS)('between the change and its settlement stays, of a %s', async (kind) => {
    const made = await sell(kind);
    fixture.tickets.mishaps.set('settleChange', 'fails');
    expect((await made.change(kind === 'return' ? {} : PAID)).data.state).toBe('done');
    made.letIn();
    fixture.tickets.mishaps.clear();
    await expectKept(made, kind);
  });
});
