import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { cancelTickets } from '../../src/issue/cancel.ts';
import { issue } from '../../src/issue/issue.ts';
import {
  describeOnEachEngine,
  type Fixture,
  openFixture,
  PATH,
  readTicket,
  startInstance,
} from '../fixture/service.ts';
import {
  changeCollections,
  createConfirmedOrder,
  issueAndPrint,
  issueOrder,
  readOrderTickets,
  toCancelledOrder,
} from '../fixture/tickets.ts';

/** The tickets of an order that can still be controlled. */
const liveIn = async (fixture: Fixture, orderId: string) =>
  (await readOrderTickets(fixture, orderId)).tickets.filter(
    ({ status }) => status === 'printed' || status === 'not_printed',
  );

const outcomesIn = async (fixture: Fixture, orderId: string) =>
  (await fixture.facts(orderId)).filter(({ type }) => type === 'tickets.cancelled').map(({ data }) => data);

describeOnEachEngine('every ticket of a cancelled order is cancelled once', (fixture) => {
  const control = (id: string) => fixture.call('POST', `${PATH}/${id}/control`, { body: { gate: 'North' } });

  test('controlled tickets stay controlled and are counted, and the others are cancelled', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(3));
    await control(id);
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    const [controlledPlace = '', ...freed] = order.tickets.map(({ place }) => place.id);
    const outcomes = await outcomesIn(fixture, order.orderId);
    expect(outcomes).toEqual([
      {
        orderId: order.orderId,
        ticketsCancelled: 2,
        controlled: 1,
        placeIds: expect.any(Array),
        keptPlaceIds: [controlledPlace],
      },
    ]);
    expect((outcomes[0] as { placeIds: string[] }).placeIds.sort()).toEqual(freed.sort());
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', gate: 'North' });
    const reverted = await fixture.call('DELETE', `${PATH}/${id}/control`);
    expect(reverted.status).toBe(412);
    const other = order.tickets[1]?.ticketId ?? '';
    expect((await control(other)).body.details).toBe('The ticket is cancelled.');
    expect((await fixture.call('POST', `${PATH}/${other}/replacement`, { body: {} })).status).toBe(412);
    const patch = { body: { beneficiary: { lastName: 'Late' } } };
    expect((await fixture.call('PATCH', `${PATH}/${other}`, patch)).status).toBe(412);
    expect(await readOrderTickets(fixture, order.orderId)).toMatchObject({ controlled: 1 });
  });

  test('with override a controlled ticket is cancelled and keeps time and gate of the control', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const { controlledAt } = readTicket(await control(id));
    await fixture.deliver('order.cancelled', toCancelledOrder(order, { override: true }));
    expect(await fixture.ticket(id)).toMatchObject({ status: 'cancelled', controlledAt, gate: 'North' });
    expect(await outcomesIn(fixture, order.orderId)).toMatchObject([{ ticketsCancelled: 2, controlled: 0 }]);
  });

  test('with override after a cancellation without it a controlled ticket is cancelled, and its place is named', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
    await control(id);
    const [kept, freed] = order.tickets.map(({ place }) => place.id);
    for (const override of [false, true, true, false])
      await fixture.deliver('order.cancelled', toCancelledOrder(order, { override }));
    expect((await fixture.ticket(id)).status).toBe('cancelled');
    const outcomes = (await outcomesIn(fixture, order.orderId)) as { placeIds: string[] }[];
    expect(outcomes.map((outcome) => ({ ...outcome, placeIds: outcome.placeIds.toSorted() }))).toMatchObject([
      { ticketsCancelled: 1, controlled: 1, placeIds: [freed], keptPlaceIds: [kept] },
      { ticketsCancelled: 2, controlled: 0, placeIds: [kept, freed].sort(), keptPlaceIds: [] },
    ]);
  });

  test('the current ticket of a replaced one counts', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const next = readTicket(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    expect([(await fixture.ticket(id)).status, (await fixture.ticket(next)).status]).toEqual([
      'invalidated',
      'cancelled',
    ]);
    expect(await outcomesIn(fixture, order.orderId)).toMatchObject([{ ticketsCancelled: 1, controlled: 0 }]);
  });

  test('late confirmations change nothing', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(2));
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    await issueOrder(fixture, order, 3);
    await issueOrder(fixture, order, 9);
    await issueOrder(fixture, order, 9);
    expect(await liveIn(fixture, order.orderId)).toEqual([]);
    expect(await outcomesIn(fixture, order.orderId)).toHaveLength(1);
  });

  test('tickets that are controlled during the cancellation stay controlled and are counted', async () => {
    let stayed = 0;
    for (let round = 0; round < 10; round += 1) {
      const { order } = await issueAndPrint(fixture, createConfirmedOrder(6));
      const controls = order.tickets.map(({ ticketId }) => control(ticketId));
      await Promise.race(controls);
      await fixture.deliver('order.cancelled', toCancelledOrder(order));
      const replies = await Promise.all(controls);
      const admitted = replies.filter(({ status }) => status === 200).length;
      const { controlled, tickets } = await readOrderTickets(fixture, order.orderId);
      expect(controlled).toBe(admitted);
      expect(tickets.filter(({ status }) => status === 'cancelled')).toHaveLength(6 - admitted);
      expect(await outcomesIn(fixture, order.orderId)).toMatchObject([
        { ticketsCancelled: 6 - admitted, controlled: admitted },
      ]);
      stayed += admitted;
    }
    expect(stayed).toBeGreaterThan(0);
  });

  test('a control that is reverted during the cancellation leaves a controlled or a cancelled ticket', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { order, id } = await issueAndPrint(fixture);
      await control(id);
      await Promise.all([
        fixture.call('DELETE', `${PATH}/${id}/control`),
        fixture.deliver('order.cancelled', toCancelledOrder(order)),
      ]);
      const { status } = await fixture.ticket(id);
      const controlled = status === 'controlled' ? 1 : 0;
      expect(['controlled', 'cancelled']).toContain(status);
      expect(await outcomesIn(fixture, order.orderId)).toMatchObject([
        { controlled, ticketsCancelled: 1 - controlled },
      ]);
    }
  });

  test('concurrent issue and cancellation in two processes leave no live ticket and one outcome', async () => {
    const second = await startInstance(await fixture.engine.open(), fixture.institution);
    for (let round = 0; round < 15; round += 1) {
      const order = createConfirmedOrder(3);
      await Promise.all([
        issueOrder(fixture, order),
        fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 4 }),
        issueOrder(second, order),
        second.deliver('order.cancelled', toCancelledOrder(order), { version: 4 }),
      ]);
      expect(await liveIn(fixture, order.orderId)).toEqual([]);
      const outcomes = [...(await outcomesIn(fixture, order.orderId))];
      expect(outcomes).toMatchObject([{ ticketsCancelled: 3, controlled: 0 }]);
    }
    await second.close();
  });
});

describe('negative control', () => {
  const fixture = useFixture(() => openFixture());

  /** The live tickets after an issue whose tickets are written after the cancellation. */
  const lateIssue = async (isBlind: boolean) => {
    const order = { ...createConfirmedOrder(2), version: 3 };
    const mayWrite = Promise.withResolvers<void>();
    const real = fixture.context;
    const late = changeCollections(real, ({ tickets }) => {
      const insertMany: typeof tickets.insertMany = async (documents) => {
        await mayWrite.promise;
        return tickets.insertMany(documents);
      };
      return { tickets: { ...tickets, insertMany } };
    });
    const blind = changeCollections(real, ({ tickets }) => ({ tickets: { ...tickets, insertMany: async () => 0 } }));
    const issuing = issue(late, fixture.institution, order);
    await until(async () => (await real.collections(fixture.institution).orders.get(order.orderId)) !== undefined);
    await cancelTickets(isBlind ? blind : real, fixture.institution, toCancelledOrder(order));
    mayWrite.resolve();
    await issuing;
    return liveIn(fixture, order.orderId);
  };

  const until = async (condition: () => Promise<boolean>) => {
    while (!(await condition())) await new Promise(setImmediate);
  };

  test('tickets written after the cancellation are not live', async () => {
    expect(await lateIssue(false)).toEqual([]);
  });

  test('they are live if the cancellation does not insert their ids', async () => {
    expect(await lateIssue(true)).toHaveLength(2);
  });

  test('without compare-and-swap an acknowledged control is lost', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const stale = changeCollections(fixture.context, ({ tickets }) => {
      const update: typeof tickets.update = async (ticketId, fn, options) => {
        const read = await tickets.get(ticketId);
        const change = read && fn(read);
        await fixture.call('POST', `${PATH}/${ticketId}/control`);
        return tickets.update(ticketId, () => change, options);
      };
      return { tickets: { ...tickets, update } };
    });
    await cancelTickets(stale, fixture.institution, toCancelledOrder(order));
    const facts = (await fixture.facts(order.orderId)).map(({ type }) => type);
    const { status } = await fixture.ticket(id);
    expect([facts, status]).toEqual([['ticket.controlled', 'tickets.cancelled'], 'cancelled']);
  });
});
