import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cancelTickets } from '../../src/cancellation/cancel.ts';
import { type Context, createContext } from '../../src/context.ts';
import { issue } from '../../src/issue/issue.ts';
import { crashingAt, untilNoneDies } from '../fixture/crashes.ts';
import { engines, missing } from '../fixture/engines.ts';
import { askedBy, cancelled, confirmed, firstOf, issued, PATH, printed, ticketOf } from '../fixture/orders.ts';
import { openStand, SERVICE_SECRET, type Stand, startInstance } from '../fixture/service.ts';

/** The tickets of an order that could still come in. */
const liveIn = async (stand: Stand, orderId: string) =>
  (await askedBy(stand, orderId)).tickets.filter(({ status }) => status === 'printed' || status === 'not_printed');

const outcomesIn = async (stand: Stand, orderId: string) =>
  (await stand.facts(orderId)).filter(({ type }) => type === 'tickets.cancelled').map(({ data }) => data);

describe.each(engines)(`every ticket hears of the cancellation once, on $name${missing}`, (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const control = (id: string) => stand.call('POST', `${PATH}/${id}/control`, { body: { gate: 'North' } });
  const get = async (id: string) => ticketOf(await stand.call('GET', `${PATH}/${id}`));

  test('controlled ones stay, for good, and are counted; the others are cancelled', async () => {
    const { order, id } = await printed(stand, confirmed(3));
    await control(id);
    await stand.hear('order.cancelled', cancelled(order));
    await stand.hear('order.cancelled', cancelled(order));
    const [kept = '', ...freed] = order.tickets.map(({ place }) => place.id);
    const outcomes = await outcomesIn(stand, order.orderId);
    expect(outcomes).toEqual([
      { orderId: order.orderId, ticketsCancelled: 2, controlled: 1, placeIds: expect.any(Array), keptPlaceIds: [kept] },
    ]);
    expect((outcomes[0] as { placeIds: string[] }).placeIds.sort()).toEqual(freed.sort());
    expect(await get(id)).toMatchObject({ status: 'controlled', gate: 'North' });
    const reverted = await stand.call('DELETE', `${PATH}/${id}/control`);
    expect(reverted.status).toBe(412);
    const other = order.tickets[1]?.ticketId ?? '';
    expect((await control(other)).body.details).toBe('The ticket is cancelled.');
    expect((await stand.call('POST', `${PATH}/${other}/replacement`, { body: {} })).status).toBe(412);
    const patch = { body: { beneficiary: { lastName: 'Late' } } };
    expect((await stand.call('PATCH', `${PATH}/${other}`, patch)).status).toBe(412);
    expect(await askedBy(stand, order.orderId)).toMatchObject({ controlled: 1 });
  });

  test('with override a controlled one is cancelled and keeps when and where', async () => {
    const { order, id } = await printed(stand, confirmed(2));
    const { controlledAt } = ticketOf(await control(id));
    await stand.hear('order.cancelled', cancelled(order, { override: true }));
    expect(await get(id)).toMatchObject({ status: 'cancelled', controlledAt, gate: 'North' });
    expect(await outcomesIn(stand, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 0 }]);
  });

  test('of a replaced ticket the current one counts', async () => {
    const { order, id } = await printed(stand);
    const next = ticketOf(await stand.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
    await stand.hear('order.cancelled', cancelled(order));
    expect([(await get(id)).status, (await get(next)).status]).toEqual(['invalidated', 'cancelled']);
    expect(await outcomesIn(stand, order.orderId)).toMatchObject([{ ticketsCancelled: 1, controlled: 0 }]);
  });

  test('facts about the confirmation that come late change nothing', async () => {
    const order = await issued(stand, confirmed(2));
    await stand.hear('order.cancelled', cancelled(order));
    await stand.hear('order.confirmed', order, { version: 3 });
    await stand.hear('order.confirmed', order, { version: 9 });
    await issued(stand, order, 9);
    expect(await liveIn(stand, order.orderId)).toEqual([]);
    expect(await outcomesIn(stand, order.orderId)).toHaveLength(1);
  });

  test('tickets that are controlled while it runs stay controlled and count', async () => {
    let stayed = 0;
    for (let round = 0; round < 10; round += 1) {
      const { order } = await printed(stand, confirmed(6));
      const controls = order.tickets.map(({ ticketId }) => control(ticketId));
      await Promise.race(controls);
      await stand.hear('order.cancelled', cancelled(order));
      const replies = await Promise.all(controls);
      const admitted = replies.filter(({ status }) => status === 200).length;
      const { controlled, tickets } = await askedBy(stand, order.orderId);
      expect(controlled).toBe(admitted);
      expect(tickets.filter(({ status }) => status === 'cancelled')).toHaveLength(6 - admitted);
      expect(await outcomesIn(stand, order.orderId)).toMatchObject([
        { ticketsCancelled: 6 - admitted, controlled: admitted },
      ]);
      stayed += admitted;
    }
    expect(stayed).toBeGreaterThan(0);
  });

  test('a control that is reverted while it runs leaves a controlled ticket or a cancelled one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { order, id } = await printed(stand);
      await control(id);
      await Promise.all([
        stand.call('DELETE', `${PATH}/${id}/control`),
        stand.hear('order.cancelled', cancelled(order)),
      ]);
      const { status } = await get(id);
      const controlled = status === 'controlled' ? 1 : 0;
      expect(['controlled', 'cancelled']).toContain(status);
      expect(await outcomesIn(stand, order.orderId)).toMatchObject([{ controlled, ticketsCancelled: 1 - controlled }]);
    }
  });

  test.each(['before', 'after'] as const)('a process that dies %s any write is one that is repeated', async (when) => {
    const { order, id } = await printed(stand, confirmed(3));
    await control(id);
    const cancelOnce = (context: Context) => cancelTickets(context, stand.institution, cancelled(order));
    const died = await untilNoneDies(stand.store, (store) => cancelOnce(createContext(store, SERVICE_SECRET)), when);
    expect(died).toBeGreaterThan(0);
    expect(await liveIn(stand, order.orderId)).toEqual([]);
    expect(await outcomesIn(stand, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 1 }]);
  });

  test.each(['before', 'after'] as const)('an issue that died %s any write, then the cancellation', async (when) => {
    for (let write = 1; write <= 2; write += 1) {
      const order = { ...confirmed(2), version: 3 };
      const dying = createContext(crashingAt(stand.store, write, when), SERVICE_SECRET);
      await expect(issue(dying, stand.institution, order)).rejects.toMatchObject({ name: 'Crash' });
      await stand.hear('order.cancelled', cancelled(order));
      await stand.hear('order.confirmed', order, { version: 3 });
      expect(await liveIn(stand, order.orderId)).toEqual([]);
      expect(await outcomesIn(stand, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 0 }]);
    }
  });

  test('issue and cancellation at once, in two processes, twice each: nothing live, one outcome', async () => {
    const second = await startInstance(await stand.engine.open(), stand.institution);
    for (let round = 0; round < 15; round += 1) {
      const order = confirmed(3);
      await Promise.all([
        issued(stand, order),
        stand.hear('order.cancelled', cancelled(order), { version: 4 }),
        second.hear('order.confirmed', order, { version: 3 }),
        second.hear('order.cancelled', cancelled(order), { version: 4 }),
      ]);
      expect(await liveIn(stand, order.orderId)).toEqual([]);
      const outcomes = [...(await outcomesIn(stand, order.orderId))];
      expect(outcomes).toMatchObject([{ ticketsCancelled: 3, controlled: 0 }]);
    }
    await second.close();
  });
});

describe('control: broken on purpose, it is seen', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand();
  });
  afterAll(() => stand.close());

  /** An issue whose tickets are written so late that the cancellation comes first; answers what is live in the end. */
  const lateIssue = async (forgetful: boolean) => {
    const order = { ...confirmed(2), version: 3 };
    const mayWrite = Promise.withResolvers<void>();
    const real = stand.context;
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
    const issuing = issue(late, stand.institution, order);
    await until(async () => (await real.collections(stand.institution).orders.get(order.orderId)) !== undefined);
    await cancelTickets(forgetful ? blind : real, stand.institution, cancelled(order));
    mayWrite.resolve();
    await issuing;
    return liveIn(stand, order.orderId);
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
    const { order, id } = await printed(stand);
    const real = stand.context;
    const stale: Context = {
      ...real,
      collections: (institution) => {
        const collections = real.collections(institution);
        const update: typeof collections.tickets.update = async (ticketId, fn, options) => {
          const read = await collections.tickets.get(ticketId);
          const change = read && fn(read);
          await stand.call('POST', `${PATH}/${ticketId}/control`);
          return collections.tickets.update(ticketId, () => change, options);
        };
        return { ...collections, tickets: { ...collections.tickets, update } };
      },
    };
    await cancelTickets(stale, stand.institution, cancelled(order));
    const facts = (await stand.facts(order.orderId)).map(({ type }) => type);
    const { status } = ticketOf(await stand.call('GET', `${PATH}/${id}`));
    expect([facts, status]).toEqual([['ticket.controlled', 'tickets.cancelled'], 'cancelled']);
    expect(firstOf(order)).toBe(id);
  });
});
