// rule commerce.5: a returned line's is `cancelled` (never issued if it is not yet) | services/tickets/src/issue/change.ts
import { expect, test } from '@jest/globals';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';
import {
  addMembers,
  createChange,
  createConfirmedOrder,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  readOrderTickets,
  SHOP,
  settle,
  toCancelledOrder,
} from '../fixture/tickets.ts';

const NONE = { ticketsCancelled: 0, controlled: 0, keptLineIds: [] };

describeOnEachEngine('a change ends the tickets of lines that left', (fixture) => {
  const control = (id: string) => fixture.call('POST', `${PATH}/${id}/control`, { body: {} });
  const statuses = (order: { tickets: { ticketId: string }[] }) =>
    Promise.all(order.tickets.map(async ({ ticketId }) => (await fixture.ticket(ticketId)).status));

  test('of a returned line it is cancelled, once, and those of other lines stay', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(3));
    const [, , stays] = order.tickets.map(({ ticketId, lineId }) => ({ ticketId, lineId, status: 'printed' }));
    const change = createChange(order, { returned: [0, 1] });
    const settled = { ...NONE, ticketsCancelled: 2 };
    expect(await settle(fixture, change)).toEqual(settled);
    expect(await settle(fixture, change)).toEqual(settled);
    expect(await statuses(order)).toEqual(['cancelled', 'cancelled', 'printed']);
    expect((await fixture.eventsOf([id]))[0]).toEqual(['ticket.issued', 'ticket.printed', 'ticket.cancelled']);
    expect((await readOrderTickets(fixture, order.orderId)).tickets).toEqual([stays]);
    expect((await control(id)).body.status).toBe('ticket_cancelled');
    expect((await fixture.call('GET', `${PATH}/${id}/document`)).status).toBe(412);
  });

  test.each([
    { status: 'printed', isPrinted: true },
    { status: 'not_printed', isPrinted: false },
    { status: 'printed', isPrinted: false, ticketDelivery: 'electronic' as const },
  ])('of an exchanged line the new one replaces it, $status like the old one', async ({ isPrinted, ...expected }) => {
    const { status, ...delivery } = expected;
    const order = { ...createConfirmedOrder(2), ...delivery };
    await (isPrinted ? issueAndPrint(fixture, order) : issueOrder(fixture, order));
    const change = createChange(order, { exchanged: [0] });
    const [{ ticketId: newId = '', lineId = '', performanceId = '', place } = {}] = change.tickets.slice(1);
    const answer = await settle(fixture, change);
    expect(answer).toEqual(NONE);
    expect((await readOrderTickets(fixture, order.orderId)).tickets).toContainEqual({
      ticketId: newId,
      lineId,
      status,
    });
    const [old, next] = [await fixture.ticket(getFirstTicketId(order)), await fixture.ticket(newId)];
    expect(old).toMatchObject({ status: 'invalidated', replacedBy: newId });
    expect(next).toMatchObject({ status, replaces: old.id, replacedBy: null, lineId, performanceId, place });
    expect(next.barcode).not.toBe(old.barcode);
    expect((await control(old.id)).body.status).toBe('ticket_invalidated');
    const shown = await fixture.call('GET', `${PATH}/statuses?performanceId=${old.performanceId}`);
    expect(shown.data.items).toContainEqual(expect.objectContaining({ id: old.id, status: 'invalidated' }));
  });

  test('the ticket that has replaced a lost one is the one that leaves', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
    for (const ticketId of [id, order.tickets[1]?.ticketId])
      await fixture.call('POST', `${PATH}/${ticketId}/replacement`, { body: {} });
    const change = createChange(order, { returned: [0], exchanged: [1] });
    expect(await settle(fixture, change)).toMatchObject({ ...NONE, ticketsCancelled: 1 });
    expect((await fixture.ticket(`${id}_r1`)).status).toBe('cancelled');
    const replaces = `${order.tickets[1]?.ticketId}_r1`;
    expect(await fixture.ticket(change.tickets[0]?.ticketId ?? '')).toMatchObject({ status: 'printed', replaces });
  });

  test('a controlled one stays so for good, and what would replace it is issued as cancelled', async () => {
    const { order } = await issueAndPrint(fixture, createConfirmedOrder(3));
    for (const { ticketId } of order.tickets) await control(ticketId);
    const change = createChange(order, { returned: [0], exchanged: [1] });
    const kept = expect.arrayContaining(order.tickets.slice(0, 2).map(({ lineId }) => lineId));
    const [controlled = '', exchanged = '', stays = ''] = order.tickets.map(({ ticketId }) => ticketId);
    const newId = change.tickets.at(-1)?.ticketId ?? '';
    expect(await settle(fixture, change)).toMatchObject({ ticketsCancelled: 0, controlled: 2, keptLineIds: kept });
    expect(await fixture.ticket(newId)).toMatchObject({ status: 'cancelled', replaces: null });
    expect(await fixture.ticket(exchanged)).toMatchObject({ status: 'controlled', replacedBy: null });
    const reverted = await fixture.call('DELETE', `${PATH}/${controlled}/control`);
    expect([reverted.status, reverted.body.details]).toEqual([412, expect.stringContaining('left the order')]);
    expect((await readOrderTickets(fixture, order.orderId)).controlled).toBe(1);
    const printing = await fixture.call('POST', `${PATH}/printing`, { body: { orderId: order.orderId } });
    expect(printing.status).toBe(200);
    expect((await fixture.call('DELETE', `${PATH}/${stays}/control`)).status).toBe(200);
  });

  test('with override a returned one is cancelled even if it was controlled, an exchanged one is not', async () => {
    const { order } = await issueAndPrint(fixture, createConfirmedOrder(2));
    for (const { ticketId } of order.tickets) await control(ticketId);
    const change = createChange(order, { returned: [0], exchanged: [1], override: true });
    expect(await settle(fixture, change)).toMatchObject({ ticketsCancelled: 1, controlled: 1 });
    expect(await statuses(order)).toEqual(['cancelled', 'controlled']);
  });

  test('a late issue of an older version issues none of them, and those of new lines wait for the change', async () => {
    for (const isIssuedFirst of [true, false]) {
      const order = createConfirmedOrder(3);
      if (isIssuedFirst) await issueOrder(fixture, order, 3);
      const { change, ...changed } = createChange(order, { returned: [0], exchanged: [1] });
      const newId = changed.tickets.at(-1)?.ticketId ?? '';
      await issueOrder(fixture, changed, 5);
      expect((await fixture.call('GET', `${PATH}/${newId}`)).status).toBe(404);
      await settle(fixture, { ...changed, change });
      await issueOrder(fixture, order, 3);
      await issueOrder(fixture, changed, 5);
      expect(await statuses(order)).toEqual(['cancelled', 'invalidated', 'not_printed']);
      expect(await fixture.ticket(newId)).toMatchObject({
        status: 'not_printed',
        replaces: order.tickets[1]?.ticketId,
      });
    }
  });

  test('a name that the order was given before the change was settled is on the new ticket', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(1));
    const change = createChange(order, { exchanged: [0] });
    const beneficiary = { firstName: 'Eva', lastName: 'Moreau' };
    await issueOrder(fixture, addMembers(change, { beneficiary, beneficiaryAsOf: 1 }), 6);
    await settle(fixture, change);
    expect(await fixture.ticket(change.tickets[0]?.ticketId ?? '')).toMatchObject({ beneficiary });
  });

  test.each(['partner', 'shop'] as const)(
    'a name that the old ticket alone was given is on the new one, by %s',
    async (by) => {
      const [ana, eva] = ['Ana', 'Eva'].map((firstName) => ({ firstName, lastName: 'Moreau' }));
      for (const isPrinted of [false, true]) {
        const contactNumber = `C${createConfirmedOrder().orderId}`;
        const sold = addMembers(createConfirmedOrder(3, contactNumber), { beneficiary: ana }, {}, { beneficiary: ana });
        const order = isPrinted ? (await issueAndPrint(fixture, sold)).order : await issueOrder(fixture, sold);
        for (const { ticketId } of order.tickets.slice(0, 2)) {
          if (by === 'shop') await fixture.call('POST', `${SHOP}/${ticketId}/beneficiary`, { body: eva });
          else await fixture.call('PATCH', `${PATH}/${ticketId}`, { body: { beneficiary: eva } });
        }
        // What the order says of the last line has not come to its old ticket.
        const asOf = { beneficiaryAsOf: 1 };
        const renamed = { ...order, tickets: order.tickets.map((one, nth) => (nth === 2 ? { ...one, ...asOf } : one)) };
        const change = createChange(renamed, { exchanged: [0, 1, 2] });
        const names = [ana, null, ana];
        const changed = addMembers(change, ...names.map((beneficiary) => ({ beneficiary })));
        const ids = change.tickets.map(({ ticketId }) => ticketId);
        const read = () => Promise.all(ids.map(async (id) => (await fixture.ticket(id)).beneficiary));
        await issueOrder(fixture, changed, 5);
        for (let times = 0; times < 2; times += 1) {
          await settle(fixture, { ...change, ...changed });
          await issueOrder(fixture, changed, 6);
          expect(await read()).toEqual([eva, eva, ana]);
        }
        await fixture.deliver('contact.erased', { contactNumber });
        await settle(fixture, { ...change, ...changed });
        expect(await read()).toEqual([null, null, null]);
      }
    },
  );

  test('a line can be changed again before its change was settled', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(1));
    const first = createChange(order, { exchanged: [0] });
    const second = createChange({ ...order, tickets: first.tickets }, { exchanged: [0] });
    const [id, middle = '', last = ''] = [order, first, second].map(({ tickets }) => tickets[0]?.ticketId);
    expect(await settle(fixture, { ...first, tickets: second.tickets })).toMatchObject(NONE);
    expect((await fixture.call('GET', `${PATH}/${last}`)).status).toBe(404);
    await settle(fixture, second);
    expect(await fixture.ticket(middle)).toMatchObject({ status: 'invalidated', replaces: id, replacedBy: last });
    expect(await fixture.ticket(last)).toMatchObject({ status: 'not_printed', replaces: middle });
  });

  test('a cancellation of the order frees the places of every line, and with override those of used tickets', async () => {
    for (const override of [false, true]) {
      const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(3));
      await control(id);
      await settle(fixture, createChange(order, { returned: [0, 1] }));
      const change = createChange({ ...order, tickets: order.tickets.slice(2) }, { exchanged: [0] });
      await fixture.deliver('order.cancelled', toCancelledOrder({ ...order, ...change }, { override }));
      const outcomes = (await fixture.facts(order.orderId)).flatMap(({ type, data }) =>
        type === 'tickets.cancelled' ? [data as { placeIds: string[]; keptPlaceIds: string[] }] : [],
      );
      const [used, , old] = order.tickets.map(({ place }) => place.id);
      const freed = [old, change.tickets[0]?.place.id, ...(override ? [used] : [])];
      expect(outcomes.map(({ placeIds }) => placeIds.sort())).toEqual([freed.sort()]);
      expect(outcomes[0]?.keptPlaceIds).toEqual(override ? [] : [used]);
      expect(await settle(fixture, change)).toMatchObject(NONE);
      const ids = [id, change.tickets[0]?.ticketId ?? ''];
      expect(await Promise.all(ids.map(async (one) => (await fixture.ticket(one)).status))).toEqual([
        override ? 'cancelled' : 'controlled',
        'cancelled',
      ]);
    }
  });
});
