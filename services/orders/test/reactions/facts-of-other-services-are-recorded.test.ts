import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

describe.each(engines)('what others say, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const performanceCancelled = (performanceId: string) =>
    stand.tell('performance.cancelled', { performanceId, productId: 'prd_1', cancelledAt: '2027-03-01T10:15:00.000Z' });

  test('a performance is cancelled: every live order that has a place of it, also one with somebody inside', async () => {
    const [hall, other] = [stand.catalog.hall(20), stand.catalog.hall(20)];
    const create = async (...items: object[]) => (await stand.call('POST', '', { body: { items } })).data;
    const open = await create(hall.item());
    const second = await create(other.item(), hall.item());
    const added = await create(other.item());
    await stand.call('POST', `/${added.id}/lines`, { body: { items: [hall.item()] } });
    const removed = await create(hall.item(), other.item());
    const line = removed.lines.find(({ place }) => hall.placeIds.includes(place.id));
    await stand.call('DELETE', `/${removed.id}/lines/${line?.id}`);
    const inside = await create(hall.item());
    await stand.call('POST', `/${inside.id}/confirmation`, { body: { onAccount: true } });
    await stand.tell('ticket.controlled', { orderId: inside.id, ticketId: 'tic_1' }, 2);
    const sold = await create(hall.item());
    await stand.call('POST', `/${sold.id}/confirmation`, { body: { onAccount: true } });
    const elsewhere = await create(other.item());
    await performanceCancelled(hall.performanceId);
    const stateOf = async ({ id }: { id: string }) => (await read(stand, `/${id}`)).state;
    expect(await Promise.all([open, second, added, sold, inside].map(stateOf))).toEqual(
      Array.from({ length: 5 }, () => 'cancelled'),
    );
    expect(await Promise.all([removed, elsewhere].map(stateOf))).toEqual(['open', 'open']);
    const { version } = await read(stand, `/${open.id}`);
    await performanceCancelled(hall.performanceId);
    expect((await read(stand, `/${open.id}`)).version).toBe(version);
  });

  test('a performance is cancelled while its places are being held: the order is refused, and nothing is held', async () => {
    const hall = stand.catalog.hall(2);
    stand.catalog.before.set('holdPlaces', () => performanceCancelled(hall.performanceId));
    const answer = await stand.call('POST', '', { body: { items: [hall.item()] } });
    stand.catalog.before.clear();
    expect(answer).toMatchObject({ status: 409, code: 'order_not_on_sale' });
    expect(stand.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 0 });
  });

  test('more orders of a performance than one page', async () => {
    const hall = stand.catalog.hall(210);
    const created = await Promise.all(
      Array.from({ length: 210 }, () =>
        stand.call('POST', '', { body: { items: [hall.item()] }, client: randomUUID() }),
      ),
    );
    await performanceCancelled(hall.performanceId);
    await until(() => stand.facts.filter(({ type }) => type === 'order.cancelled').length >= 210);
    const states = await Promise.all(created.map(async ({ data }) => (await read(stand, `/${data.id}`)).state));
    expect(new Set(states)).toEqual(new Set(['cancelled']));
  });

  test('a contact is erased: remembered answers that speak of it are gone, the number stays', async () => {
    const contactNumber = `C${randomUUID()}`;
    stand.contacts.known.set(contactNumber, null);
    const hall = stand.catalog.hall(5);
    const call = { body: { contactNumber, items: [hall.item()] }, key: randomUUID() };
    const first = await stand.call('POST', '', call);
    expect((await stand.call('POST', '', call)).headers.get('idempotency-replayed')).toBe('true');
    stand.contacts.known.set(contactNumber, '2027-01-01T00:00:00.000Z');
    await stand.tell('contact.erased', { contactNumber, erasedAt: '2027-01-01T00:00:00.000Z' });
    const again = await stand.call('POST', '', call);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([422, null]);
    expect(await read(stand, `/${first.data.id}`)).toMatchObject({ contactNumber });
    const patch = { body: { contactNumber, externalReference: 'x' } };
    expect((await stand.call('PATCH', `/${first.data.id}`, patch)).status).toBe(200);
    const { contactNumber: _, ...other } = (await newOrder(stand)).order as unknown as { contactNumber: null };
    expect(other).toBeDefined();
  });
});
