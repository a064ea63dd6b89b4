import { expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/service.ts';
import { confirmed, firstOf, issued, SHOP, shopTicketOf, withMembers } from '../fixture/tickets.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };

describeOnEachEngine('tickets are issued with the names of the cart', (fixture) => {
  const beneficiaries = async (order: ReturnType<typeof confirmed>) => {
    const get = async (ticketId: string) => shopTicketOf(await fixture.call('GET', `${SHOP}/${ticketId}`)).beneficiary;
    return Promise.all(order.tickets.map(({ ticketId }) => get(ticketId)));
  };

  test.each(['the direct call', 'the event'])(
    '%s issues each ticket with its beneficiary, or without one',
    async (way) => {
      const order = withMembers(
        confirmed(4),
        { beneficiary: ana },
        { beneficiary: { lastName: 'Moreau' } },
        { beneficiary: null },
        { beneficiary: { firstName: null, lastName: null } },
      );
      if (way === 'the event') await fixture.deliver('order.confirmed', order, { version: 3 });
      else await issued(fixture, order);
      expect(await beneficiaries(order)).toEqual([ana, { firstName: null, lastName: 'Moreau' }, null, null]);
    },
  );

  test('unknown members are accepted and not stored', async () => {
    const order = confirmed(1);
    const [ticket] = order.tickets;
    const more = {
      ...order,
      loyalty: 'gold',
      tickets: [
        { ...ticket, note: 'secret', place: { ...ticket?.place, view: 'good' }, beneficiary: { ...ana, age: 44 } },
      ],
    };
    await fixture.deliver('order.confirmed', more, { version: 3 });
    await issued(fixture, more as typeof order, 4);
    expect(await beneficiaries(order)).toEqual([ana]);
    const collections = fixture.context.collections(fixture.institution);
    const stored = JSON.stringify([
      await collections.orders.get(order.orderId),
      await collections.tickets.get(firstOf(order)),
    ]);
    for (const name of ['loyalty', 'note', 'view', 'age']) expect(stored).not.toContain(`"${name}"`);
  });

  test('an invalid startDate is stored as null and refuses nothing', async () => {
    const order = withMembers(confirmed(1), { startDate: 'soon', productId: null });
    await fixture.deliver('order.confirmed', order, { version: 3 });
    const shown = shopTicketOf(await fixture.call('GET', `${SHOP}/${firstOf(order)}`));
    expect([shown.startDate, shown.productId]).toEqual([null, null]);
  });

  test('an event with a ticket without ids, place or price is unreadable', async () => {
    const order = confirmed(1);
    for (const missing of ['ticketId', 'lineId', 'performanceId', 'place', 'price']) {
      const tickets = order.tickets.map((ticket) => ({ ...ticket, [missing]: undefined }));
      const delivered = fixture.deliver('order.confirmed', { ...order, tickets }, { version: 3 });
      await expect(delivered).rejects.toMatchObject({ name: 'Unreadable' });
    }
  });
});
