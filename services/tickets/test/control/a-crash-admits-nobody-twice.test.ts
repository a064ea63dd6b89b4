import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { contextIn, createContext } from '../../src/context.ts';
import { controlMany } from '../../src/control/scans.ts';
import { untilNoneCrashes } from '../fixture/crashes.ts';
import { confirmed, printed } from '../fixture/orders.ts';
import { scan, scansListed } from '../fixture/scans.ts';
import { engines, type Fixture, openFixture, PATH, SERVICE_SECRET } from '../fixture/service.ts';

describe.each(engines)('a crash between a ticket and its scan admits nobody twice, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));

  const controlOn = async (store: Fixture['store'], items: readonly object[]) => {
    const context = createContext(store, SERVICE_SECRET);
    try {
      const caller = { institution: fixture.institution, client: 'partner', user: null, bounds: null };
      return await controlMany(contextIn(context, fixture.institution), caller, items);
    } finally {
      await context.drawing.close();
    }
  };

  test.each(['before', 'after'] as const)('%s each write: sent again, the batch has its answers', async (when) => {
    const { order } = await printed(fixture, confirmed(3));
    const [first = '', second = '', third = ''] = order.tickets.map(({ ticketId }) => ticketId);
    const performanceId = order.tickets[0]?.performanceId ?? '';
    const at = '2026-11-01T18:05:00.000Z';
    await scan(fixture, [{ nonce: `later.${when}`, ticketId: third, at: '2026-11-01T18:09:00.000Z' }]);
    const items = [
      { nonce: `a.${when}`, ticketId: first },
      { nonce: `b.${when}`, ticketId: first },
      { nonce: `c.${when}`, ticketId: second, performanceId },
      { nonce: `d.${when}`, ticketId: second, performanceId: 'prf_other' },
      { nonce: `e.${when}`, ticketId: third, at, offline: true },
    ];
    const crashes = await untilNoneCrashes(fixture.store, (store) => controlOn(store, items), when);
    expect(crashes).toBeGreaterThan(1);
    const answers = await scan(fixture, items);
    expect(answers.map(({ result }) => result)).toEqual(['admitted', 'repeated', 'admitted', 'refused', 'admitted']);
    const listed = await scansListed(fixture, `performanceId=${performanceId}`);
    expect(listed.map(({ nonce, result }) => `${nonce} ${result}`).sort()).toEqual([
      `a.${when} admitted`,
      `b.${when} repeated`,
      `c.${when} admitted`,
      `e.${when} admitted`,
      `later.${when} repeated`,
    ]);
    const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.length).toBe(4);
  });

  test('an admitted scan whose answer was lost is admitted again after a reversal, without an effect', async () => {
    const { id } = await printed(fixture);
    const items = [{ nonce: `lost.${id}`, ticketId: id }];
    const dead = { ...fixture.store, collection: crashingScans(fixture.store) } as Fixture['store'];
    await expect(controlOn(dead, items)).rejects.toThrow('scan not written');
    await fixture.call('DELETE', `${PATH}/${id}/control`);
    expect((await scan(fixture, items))[0]?.result).toBe('admitted');
    expect((await fixture.ticket(id)).status).toBe('printed');
  });
});

/** A store whose scans cannot be written. */
const crashingScans =
  (store: Fixture['store']): Fixture['store']['collection'] =>
  (collection) => {
    const real = store.collection(collection);
    if (collection.name !== 'scans') return real;
    const insertMany = () => Promise.reject(new Error('scan not written'));
    return { ...real, of: (institution) => ({ ...real.of(institution), insertMany }) };
  };
