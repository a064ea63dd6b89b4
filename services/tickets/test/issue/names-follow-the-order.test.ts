import { expect, test } from '@jest/globals';
import { describeOnEachEngine, PATH, type TicketView } from '../fixture/service.ts';
import { type Confirmed, cancelled, confirmed, firstOf, issued } from '../fixture/tickets.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };
const kim = { firstName: null, lastName: 'Kim' };

/** The order with the beneficiary of its first ticket, as of its so many-th change. */
const as = (order: Confirmed, beneficiary: object | null, beneficiaryAsOf?: number): Confirmed => ({
  ...order,
  tickets: order.tickets.map((ticket, index) =>
    index === 0 ? { ...ticket, beneficiary, ...(beneficiaryAsOf === undefined ? {} : { beneficiaryAsOf }) } : ticket,
  ),
});

describeOnEachEngine('tickets follow the beneficiaries of their order', (fixture) => {
  const all = async ({ orderId }: Confirmed) =>
    (await fixture.call('GET', `${PATH}?orderId=${orderId}`)).data.items as TicketView[];

  test('one that is not printed in place, each change once', async () => {
    const order = confirmed(2);
    const id = firstOf(order);
    await issued(fixture, as(order, ana));
    await issued(fixture, as(order, eva, 1), 4);
    expect((await fixture.ticket(id)).beneficiary).toEqual(eva);
    await fixture.call('PATCH', `${PATH}/${id}`, { body: { beneficiary: { ...kim } } });
    // A repeat, and a late call of an earlier version, undo nothing.
    await issued(fixture, as(order, eva, 1), 4);
    await issued(fixture, as(order, ana), 3);
    expect((await fixture.ticket(id)).beneficiary).toEqual(kim);
    await issued(fixture, as(order, null, 2), 5);
    expect((await fixture.ticket(id)).beneficiary).toBeNull();
    expect(await all(order)).toHaveLength(2);
  });

  test('a printed one by a replacement, which further changes reach', async () => {
    const order = confirmed(2);
    const id = firstOf(order);
    await issued(fixture, as(order, ana));
    await fixture.call('POST', `${PATH}/printing`, { body: { orderId: order.orderId } });
    const { data } = await fixture.call('POST', '/internal/tickets/issue', {
      body: { ...as(order, eva, 1), version: 4 },
    });
    expect(data).toMatchObject({
      tickets: expect.arrayContaining([{ ticketId: `${id}_r1`, lineId: order.tickets[0]?.lineId, status: 'printed' }]),
    });
    expect(await fixture.ticket(id)).toMatchObject({ status: 'invalidated', replacedBy: `${id}_r1`, beneficiary: ana });
    expect(await fixture.ticket(`${id}_r1`)).toMatchObject({ status: 'printed', beneficiary: eva });
    await issued(fixture, as(order, eva, 1), 4);
    expect(await all(order)).toHaveLength(3);
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toContain('ticket.replaced');
    await issued(fixture, as(order, kim, 2), 5);
    expect(await fixture.ticket(`${id}_r2`)).toMatchObject({ status: 'printed', beneficiary: kim });
  });

  test('not a controlled or cancelled one', async () => {
    const order = confirmed(1);
    const id = firstOf(order);
    await issued(fixture, as(order, ana));
    await fixture.call('POST', `${PATH}/${id}/printing`);
    await fixture.call('POST', `${PATH}/${id}/control`, { body: {} });
    await issued(fixture, as(order, eva, 1), 4);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', beneficiary: ana });
    const other = confirmed(1);
    await issued(fixture, as(other, ana));
    await fixture.deliver('order.cancelled', cancelled(other));
    await issued(fixture, as(other, eva, 1), 4);
    expect(await fixture.ticket(firstOf(other))).toMatchObject({ status: 'cancelled', beneficiary: ana });
  });

  test('one that the event issues before the call has the newest name', async () => {
    const order = confirmed(1);
    await fixture.deliver('order.confirmed', order, { version: 3 });
    await issued(fixture, as(order, eva, 1), 4);
    await issued(fixture, as(order, ana), 3);
    expect((await fixture.ticket(firstOf(order))).beneficiary).toEqual(eva);
  });
});
