import { expect, test } from '@jest/globals';
import { cancelled, confirmed, issued, printed, withMembers } from '../fixture/orders.ts';
import { after, describeOnEachEngine, PATH } from '../fixture/service.ts';

describeOnEachEngine('a scanner downloads the statuses of an evening', (fixture) => {
  const list = async (query: string) => {
    const { data } = await fixture.call('GET', `${PATH}/statuses?${query}`);
    return data as unknown as {
      items: Record<string, unknown>[];
      nextCursor: string | null;
      seatCategories: Record<string, object>;
    };
  };

  test('what decides at the door, and nothing of the buyer', async () => {
    const about = {
      product: { en: 'The Magic Flute' },
      seatCategory: { fr: 'Parterre', en: 'Stalls' },
      venue: { name: 'Grand Théâtre', city: null },
      timeZone: 'Europe/Zurich',
    };
    const { order, id } = await printed(fixture, withMembers(confirmed(4, 'C7K2M9QX4TB03'), { about }));
    const [first, second, third, fourth] = order.tickets;
    const performanceId = String(first?.performanceId);
    await issued(fixture);
    await fixture.call('POST', `${PATH}/${id}/control`, { body: { gate: 'North' } });
    await fixture.call('POST', `${PATH}/${second?.ticketId}/replacement`, { body: {} });
    await fixture.call('DELETE', `${PATH}/${third?.ticketId}/printing`);
    const { items, nextCursor, seatCategories } = await list(`performanceId=${performanceId}`);
    const seatCategoryId = String(first?.seatCategoryId);
    const open = { controlledAt: null, gate: null, seatCategoryId };
    expect(seatCategories).toEqual({ [seatCategoryId]: about.seatCategory });
    expect(nextCursor).toBeNull();
    expect(items).toHaveLength(5);
    expect(items).toEqual(
      expect.arrayContaining([
        {
          id,
          status: 'controlled',
          place: 'A-1',
          seatCategoryId,
          controlledAt: (await fixture.ticket(id)).controlledAt,
          gate: 'North',
        },
        { id: second?.ticketId, status: 'invalidated', place: 'A-2', ...open },
        { id: `${second?.ticketId}_r1`, status: 'printed', place: 'A-2', ...open },
        { id: third?.ticketId, status: 'not_printed', place: 'A-3', ...open },
        { id: fourth?.ticketId, status: 'printed', place: 'A-4', ...open },
      ]),
    );
  });

  test('later only what changed since, with cancelled ones', async () => {
    const { order } = await printed(fixture, confirmed(2));
    const query = `performanceId=${order.tickets[0]?.performanceId}`;
    const { updatedAt } = await fixture.ticket(String(order.tickets[1]?.ticketId));
    const since = new Date(Date.parse(updatedAt) + 1).toISOString();
    await after(updatedAt);
    await fixture.deliver('order.cancelled', cancelled(order));
    const changed = await list(`${query}&modifiedSince=${since}`);
    expect(changed.items).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
    const tickets = await Promise.all(order.tickets.map(({ ticketId }) => fixture.ticket(ticketId)));
    const last = Math.max(...tickets.map(({ updatedAt: at }) => Date.parse(at)));
    const later = new Date(last + 1).toISOString();
    expect((await list(`${query}&modifiedSince=${later}`)).items).toEqual([]);
  });

  test('the performance is required', async () => {
    expect((await fixture.call('GET', `${PATH}/statuses`)).body.status).toBe('missing_parameter');
  });
});
