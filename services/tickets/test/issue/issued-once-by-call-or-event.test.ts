import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, missing } from '../fixture/engines.ts';
import { askedBy, cancelled, confirmed, issued } from '../fixture/orders.ts';
import { type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)(`tickets are issued once, whoever comes first, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const statusesOf = async (orderId: string) => (await askedBy(fixture, orderId)).tickets.map(({ status }) => status);

  test('the direct call and the fact, in any order, twice, at once', async () => {
    const order = confirmed(3);
    const call = () => issued(fixture, order, 3);
    const fact = () => fixture.hear('order.confirmed', order, { version: 3 });
    await Promise.all([call(), fact(), fact(), call()]);
    await fact();
    const { tickets } = await askedBy(fixture, order.orderId);
    expect(tickets.map(({ ticketId }) => ticketId).sort()).toEqual(order.tickets.map((one) => one.ticketId).sort());
    expect(await statusesOf(order.orderId)).toEqual(['not_printed', 'not_printed', 'not_printed']);
  });

  test('an interrupted issue is finished by the fact', async () => {
    const order = confirmed(3);
    await issued(fixture, order);
    await fixture.context.collections(fixture.institution).tickets.delete(order.tickets[1]?.ticketId ?? '');
    await fixture.hear('order.confirmed', order, { version: 3 });
    expect(await statusesOf(order.orderId)).toHaveLength(3);
  });

  test('an unknown order has no tickets', async () => {
    expect(await askedBy(fixture, 'ord_unknown')).toEqual({ controlled: 0, tickets: [] });
  });

  test('nothing is issued for an order whose cancellation was heard of first', async () => {
    const order = confirmed(2);
    await fixture.hear('order.cancelled', cancelled(order), { version: 4 });
    await fixture.hear('order.confirmed', order, { version: 3 });
    await issued(fixture, order);
    expect(await statusesOf(order.orderId)).toEqual([]);
    const facts = await fixture.facts(order.orderId);
    expect(facts.map(({ type, data }) => [type, data])).toEqual([
      [
        'tickets.cancelled',
        {
          orderId: order.orderId,
          ticketsCancelled: 2,
          controlled: 0,
          placeIds: order.tickets.map(({ place }) => place.id),
          keptPlaceIds: [],
        },
      ],
    ]);
  });

  test('an order that never had tickets is none of this service’s business', async () => {
    const order = confirmed();
    await fixture.hear('order.cancelled', { ...cancelled(order), hadTickets: false });
    expect(await fixture.facts(order.orderId)).toEqual([]);
  });

  test('a fact that cannot be read is refused for good', async () => {
    for (const type of ['order.confirmed', 'order.cancelled', 'contact.erased'])
      await expect(fixture.hear(type, {})).rejects.toMatchObject({ name: 'Unreadable' });
  });
});
