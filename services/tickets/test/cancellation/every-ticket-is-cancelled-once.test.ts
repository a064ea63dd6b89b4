import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cancelTickets } from '../../src/cancellation/cancel.ts';
import { type Context, createContext } from '../../src/context.ts';
import { issue } from '../../src/issue/issue.ts';
import { crashingAt, untilNoneDies } from '../fixture/crashes.ts';
import { engines, missing } from '../fixture/engines.ts';
import { askedBy, cancelled, confirmed, firstOf, issued, PATH, printed, ticketOf } from '../fixture/orders.ts';
import { type Fixture, openFixture, SERVICE_SECRET, startInstance } from '../fixture/service.ts';

/** The tickets of an order that could still come in. */
const liveIn = async (fixture: Fixture, orderId: string) =>
  (await askedBy(fixture, orderId)).tickets.filter(({ status }) => status === 'printed' || status === 'not_printed');

const outcomesIn = async (fixture: Fixture, orderId: string) =>
  (await fixture.facts(orderId)).filter(({ type }) => type === 'tickets.cancelled').map(({ data }) => data);

describe.each(engines)(`every ticket hears of the cancellation once, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const control = (id: string) => fixture.call('POST', `${PATH}/${id}/control`, { body: { gate: 'North' } });
  const get = async (id: string) => ticketOf(await fixture.call('GET', `${PATH}/${id}`));

  test('controlled ones stay, for good, and are counted; the others are cancelled', async () => {
    const { order, id } = await printed(fixture, confirmed(3));
    await control(id);
    await fixture.hear('order.cancelled', cancelled(order));
    await fixture.hear('order.cancelled', cancelled(order));
    const [kept = '', ...freed] = order.tickets.map(({ place }) => place.id);
    const outcomes = await outcomesIn(fixture, order.orderId);
    expect(outcomes).toEqual([
      { orderId: order.orderId, ticketsCancelled: 2, controlled: 1, placeIds: expect.any(Array), keptPlaceIds: [kept] },
    ]);
    expect((outcomes[0] as { placeIds: string[] }).placeIds.sort()).toEqual(freed.sort());
    expect(await get(id)).toMatchObject({ status: 'controlled', gate: 'North' });
    const reverted = await fixture.call('DELETE', `${PATH}/${id}/control`);
    expect(reverted.status).toBe(412);
    const other = order.tickets[1]?.ticketId ?? '';
    expect((await control(other)).body.details).toBe('The ticket is cancelled.');
    expect((await fixture.call('POST', `${PATH}/${other}/replacement`, { body: {} })).status).toBe(412);
    const patch = { body: { beneficiary: { lastName: 'Late' } } };
    expect((await fixture.call('PATCH', `${PATH}/${other}`, patch)).status).toBe(412);
    expect(await askedBy(fixture, order.orderId)).toMatchObject({ controlled: 1 });
  });

  test('with override a controlled one is cancelled and keeps when and where', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const { controlledAt } = ticketOf(await control(id));
    await fixture.hear('order.cancelled', cancelled(order, { override: true }));
    expect(await get(id)).toMatchObject({ status: 'cancelled', controlledAt, gate: 'North' });
    expect(await outcomesIn(fixture, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 0 }]);
  });

  test('of a replaced ticket the current one counts', async () => {
    const { order, id } = await printed(fixture);
    const next = ticketOf(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
    await fixture.hear('order.cancelled', cancelled(order));
    expect([(await get(id)).status, (await get(next)).status]).toEqual(['invalidated', 'cancelled']);
    expect(await outcomesIn(fixture, order.orderId)).toMatchObject([{ ticketsCancelled: 1, controlled: 0 }]);
  });

  test('facts about the confirmation that come late change nothing', async () => {
    const order = await issued(fixture, confirmed(2));
    await fixture.hear('order.cancelled', cancelled(order));
    await fixture.hear('order.confirmed', order, { version: 3 });
    await fixture.hear('order.confirmed', order, { version: 9 });
    await issued(fixture, order, 9);
    expect(await liveIn(fixture, order.orderId)).toEqual([]);
    expect(await outcomesIn(fixture, order.orderId)).toHaveLength(1);
  });

  test('tickets that are controlled while it runs stay controlled and count', async () => {
    let stayed = 0;
    for (let round = 0; round < 10; round += 1) {
      const { order } = await printed(fixture, confirmed(6));
      const controls = order.tickets.map(({ ticketId }) => control(ticketId));
      await Promise.race(controls);
      await fixture.hear('order.cancelled', cancelled(order));
      const replies = await Promise.all(controls);
      const admitted = replies.filter(({ status }) => status === 200).length;
      const { controlled, tickets } = await askedBy(fixture, order.orderId);
      expect(controlled).toBe(admitted);
      expect(tickets.filter(({ status }) => status === 'cancelled')).toHaveLength(6 - admitted);
      expect(await outcomesIn(fixture, order.orderId)).toMatchObject([
        { ticketsCancelled: 6 - admitted, controlled: admitted },
      ]);
      stayed += admitted;
    }
    expect(stayed).toBeGreaterThan(0);
  });

  test('a control that is reverted while it runs leaves a controlled ticket or a cancelled one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { order, id } = await printed(fixture);
      await control(id);
      await Promise.all([
        fixture.call('DELETE', `${PATH}/${id}/control`),
        fixture.hear('order.cancelled', cancelled(order)),
      ]);
      const { status } = await get(id);
      const controlled = status === 'controlled' ? 1 : 0;
      expect(['controlled', 'cancelled']).toContain(status);
      expect(await outcomesIn(fixture, order.orderId)).toMatchObject([
        { controlled, ticketsCancelled: 1 - controlled },
      ]);
    }
  });

  test.each(['before', 'after'] as const)('a process that dies %s any write is one that is repeated', async (when) => {
    const { order, id } = await printed(fixture, confirmed(3));
    await control(id);
    const cancelOnce = (context: Context) => cancelTickets(context, fixture.institution, cancelled(order));
    const died = await untilNoneDies(fixture.store, (store) => cancelOnce(createContext(store, SERVICE_SECRET)), when);
    expect(died).toBeGreaterThan(0);
    expect(await liveIn(fixture, order.orderId)).toEqual([]);
    expect(await outcomesIn(fixture, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 1 }]);
  });

  test.each(['before', 'after'] as const)('an issue that died %s any write, then the cancellation', async (when) => {
    for (let write = 1; write <= 2; write += 1) {
      const order = { ...confirmed(2), version: 3 };
      const dying = createContext(crashingAt(fixture.store, write, when), SERVICE_SECRET);
      await expect(issue(dying, fixture.institution, order)).rejects.toMatchObject({ name: 'Crash' });
      await fixture.hear('order.cancelled', cancelled(order));
      await fixture.hear('order.confirmed', order, { version: 3 });
      expect(await liveIn(fixture, order.orderId)).toEqual([]);
      expect(await outcomesIn(fixture, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 0 }]);
    }
  });

  test('issue and cancellation at once, in two processes, twice each: nothing live, one outcome', async () => {
    const second = await startInstance(await fixture.engine.open(), fixture.institution);
    for (let round = 0; round < 15; round += 1) {
      const order = confirmed(3);
      await Promise.all([
        issued(fixture, order),
        fixture.hear('order.cancelled', cancelled(order), { version: 4 }),
        second.hear('order.confirmed', order, { version: 3 }),
        second.hear('order.cancelled', cancelled(order), { version: 4 }),
      ]);
      expect(await liveIn(fixture, order.orderId)).toEqual([]);
      const outcomes = [...(await outcomesIn(fixture, order.orderId))];
      expect(outcomes).toMatchObject([{ ticketsCancelled: 3, controlled: 0 }]);
    }
    await second.close();
  });
});

describe('control: broken on purpose, it is seen', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture();
  });
  afterAll(() => fixture.close());

  /** An issue whose tickets are written so late that the cancellation comes first; answers what is live in the end. */
  const lateIssue = async (forgetful: boolean) => {
    const order = { ...confirmed(2), version: 3 };
    const mayWrite = Promise.withResolvers<void>();
    const real = fixture.context;
    const late: Context = {
      ...real,
      collections: (institution) => {
        const collections = real.collections(institution);
        const insertMany: typeof collections.tickets.insertMany = async (documents) => {
          await mayWrite.promise;
          return collections.tickets.insertMany(documents);
        };
        return { ...collections, tickets: { ...collections.tickets, insertMany } };
      },
    };
    const blind: Context = {
      ...real,
      collections: (institution) => {
        const collections = real.collections(institution);
        return { ...collections, tickets: { ...collections.tickets, insertMany: async () => 0 } };
      },
    };
    const issuing = issue(late, fixture.institution, order);
    await until(async () => (await real.collections(fixture.institution).orders.get(order.orderId)) !== undefined);
    await cancelTickets(forgetful ? blind : real, fixture.institution, cancelled(order));
    mayWrite.resolve();
    await issuing;
    return liveIn(fixture, order.orderId);
  };

  const until = async (condition: () => Promise<boolean>) => {
    while (!(await condition())) await new Promise(setImmediate);
  };

  test('tickets that are written after the cancellation are not live', async () => {
    expect(await lateIssue(false)).toEqual([]);
  });

  test('without taking their ids they would be', async () => {
    expect(await lateIssue(true)).toHaveLength(2);
  });

  test('without compare-and-swap, a control that is acknowledged is lost', async () => {
    const { order, id } = await printed(fixture);
    const real = fixture.context;
    const stale: Context = {
      ...real,
      collections: (institution) => {
        const collections = real.collections(institution);
        const update: typeof collections.tickets.update = async (ticketId, fn, options) => {
          const read = await collections.tickets.get(ticketId);
          const change = read && fn(read);
          await fixture.call('POST', `${PATH}/${ticketId}/control`);
          return collections.tickets.update(ticketId, () => change, options);
        };
        return { ...collections, tickets: { ...collections.tickets, update } };
      },
    };
    await cancelTickets(stale, fixture.institution, cancelled(order));
    const facts = (await fixture.facts(order.orderId)).map(({ type }) => type);
    const { status } = ticketOf(await fixture.call('GET', `${PATH}/${id}`));
    expect([facts, status]).toEqual([['ticket.controlled', 'tickets.cancelled'], 'cancelled']);
    expect(firstOf(order)).toBe(id);
  });
});
