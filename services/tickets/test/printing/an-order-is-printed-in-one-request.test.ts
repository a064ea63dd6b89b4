import { expect, test } from '@jest/globals';
import { cancelled, confirmed, issued } from '../fixture/orders.ts';
import { describeOnEachEngine, PATH, type TicketView, ticketOf } from '../fixture/service.ts';

describeOnEachEngine('an order is printed in one request', (fixture) => {
  const print = async (orderId: string) => {
    const { status, body, data } = await fixture.call('POST', `${PATH}/printing`, { body: { orderId } });
    return { status, code: body.status, items: (data as { items?: TicketView[] } | null)?.items ?? [] };
  };

  test('every ticket that is not printed yet; the answer has them all, and a repeat changes nothing', async () => {
    const order = await issued(fixture, confirmed(20));
    const [first = '', second = ''] = order.tickets.map(({ ticketId }) => ticketId);
    await fixture.call('POST', `${PATH}/${first}/printing`);
    const before = await fixture.ticket(first);
    const { status, items } = await print(order.orderId);
    expect([status, items.length]).toEqual([200, 20]);
    expect(new Set(items.map((ticket) => ticket.status))).toEqual(new Set(['printed']));
    expect(items.find(({ id }) => id === first)).toEqual(before);
    expect(items.find(({ id }) => id === second)).toEqual(await fixture.ticket(second));
    expect((await print(order.orderId)).items).toEqual(items);
  });

  test('controlled and replaced tickets stay as they are; of each line the current one is answered', async () => {
    const order = await issued(fixture, confirmed(3));
    const [first = '', second = '', third = ''] = order.tickets.map(({ ticketId }) => ticketId);
    for (const id of [first, second]) await fixture.call('POST', `${PATH}/${id}/printing`);
    await fixture.call('POST', `${PATH}/${first}/control`, { body: {} });
    const { id: replacing } = ticketOf(await fixture.call('POST', `${PATH}/${second}/replacement`, { body: {} }));
    const { items } = await print(order.orderId);
    expect(Object.fromEntries(items.map(({ id, status }) => [id, status]))).toEqual({
      [first]: 'controlled',
      [replacing]: 'printed',
      [third]: 'printed',
    });
  });

  test('an order without tickets is 404, a cancelled one 412', async () => {
    const unknown = await print('ord_unknown');
    expect([unknown.status, unknown.code]).toEqual([404, 'not_found']);
    const order = await issued(fixture, confirmed(2));
    await fixture.deliver('order.cancelled', cancelled(order));
    const refused = await print(order.orderId);
    expect([refused.status, refused.code]).toEqual([412, 'ticket_cancelled']);
  });
});
