import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createContext } from '../../src/context.ts';
import type { RequestedCapacity } from '../../src/domain/capacity.ts';
import { CLAIM_MS } from '../../src/performances/capacity.ts';
import { changePerformance } from '../../src/performances/change.ts';
import { openCollections, performances } from '../../src/store.ts';
import { createDyingContext, doDueWork } from '../fixture/crashes.ts';
import {
  createShow,
  createStalls,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  type Performance,
  readAvailability,
  type Show,
} from '../fixture/service.ts';

describeOnEachEngine('a change of capacity', (catalog) => {
  type Wanted = Omit<RequestedCapacity, 'id'>;

  const collections = () => openCollections(catalog.store, catalog.institution);
  const resize = (show: Show, wanted: Wanted, on: Pick<typeof catalog, 'call'> = catalog) =>
    on.call<Performance>('PATCH', `/svc/v3/catalog/performances/${show.performance.id}`, {
      body: { seatCategories: [{ id: show.categoryId, ...wanted }] },
    });

  /** Changes the capacity in a process that dies before its nth write; returns whether it died. */
  const resizeAndDie = (
    { performance, categoryId }: Show,
    wanted: Wanted,
    nth: number,
    now: () => number = Date.now,
  ): Promise<boolean> => {
    const context = createDyingContext(createContext(catalog.store, catalog.institution, now), nth);
    const patch = { seatCategories: [{ id: categoryId, ...wanted }] };
    return changePerformance(context, performance.id, { patch, allow: () => undefined }).then(
      () => false,
      () => true,
    );
  };

  /** The clock of a process whose claims have ended by now. */
  const longAgo = (): number => Date.now() - CLAIM_MS - 1_000;

  const capacityOf = async ({ performance }: Show): Promise<number> =>
    (await collections().performances.get(performance.id))?.seatCategories[0]?.capacity ?? Number.NaN;
  const placesOf = ({ performance }: Show) =>
    collections().places.count({ performanceId: performance.id, state: { ne: 'withdrawn' } });

  /** Buys everything, which is as many places as the capacity. */
  const expectToSell = async (show: Show, capacity: number): Promise<void> => {
    expect(getHeldPlaceIds(await hold(catalog, show, { quantity: capacity }))).toHaveLength(capacity);
    expect((await hold(catalog, show)).outcome).toBe('refused');
    expect(await readAvailability(catalog, show)).toEqual({ capacity, free: 0, held: capacity, sold: 0 });
  };

  const wantedRows = [
    { row: 'A', seats: 1 },
    { row: 'C', seats: 4 },
  ];
  const changes: readonly [string, readonly number[] | undefined, Wanted, number][] = [
    ['fewer places', undefined, { capacity: 3 }, 3],
    ['more places, one of them withdrawn before', undefined, { capacity: 9 }, 9],
    ['other rows', [3, 3], { rows: wantedRows }, 8],
  ];

  /** A performance with six places, of which one is withdrawn before if they are not numbered. */
  const newHall = async (rows?: readonly number[]): Promise<Show> => {
    if (rows) return createShow(catalog, createStalls(6, rows));
    const show = await createShow(catalog, createStalls(7));
    expect((await resize(show, { capacity: 6 })).status).toBe(200);
    return show;
  };

  /** Does it with a process that dies before its first write, its second, and so on. */
  const diesAnywhere = async (play: (nth: number) => Promise<boolean>): Promise<void> => {
    let nth = 1;
    while (nth < 40 && (await play(nth))) nth += 1;
    expect([nth > 5, nth < 40]).toEqual([true, true]);
  };

  test.each(changes)('(%s) happens or not, wherever its process dies', async (_, rows, wanted, after) => {
    await diesAnywhere(async (nth) => {
      const show = await newHall(rows);
      const died = await resizeAndDie(show, wanted, nth, longAgo);
      const capacity = await capacityOf(show);
      expect([nth, died ? [6, after] : [after]]).toEqual([nth, expect.arrayContaining([capacity])]);
      await expectToSell(show, capacity);
      expect([nth, await placesOf(show)]).toEqual([nth, capacity]);
      return died;
    });
  });

  test.each(changes)('(%s) is completed by the work that is due, without a request', async (_, rows, wanted, after) => {
    await diesAnywhere(async (nth) => {
      const show = await newHall(rows);
      const died = await resizeAndDie(show, wanted, nth);
      await doDueWork(catalog.store);
      const capacity = await capacityOf(show);
      expect([nth, await placesOf(show)]).toEqual([nth, capacity]);
      const stored = await collections().performances.get(show.performance.id);
      expect([stored?.capacityClaim ?? null, stored?.due]).toEqual([null, undefined]);
      const { free, held } = await readAvailability(catalog, show);
      expect([free + held, held === 0 || capacity !== after]).toEqual([capacity, true]);
      return died;
    });
  });

  test('locks nothing: while the claims of a dead process last, others change the capacity and sell', async () => {
    const show = await createShow(catalog, createStalls(10));
    const { id } = show.performance;
    // Its clock is fast, so that its claims last longer than this test.
    const fast = (): number => Date.now() + 600_000;
    let nth = 1;
    while ((await collections().places.count({ performanceId: id, state: 'held' })) === 0) {
      expect(await resizeAndDie(show, { capacity: 6 }, nth, fast)).toBe(true);
      nth += 1;
    }
    expect(await capacityOf(show)).toBe(10);
    expect((await resize(show, { capacity: 12 })).status).toBe(200);
    expect((await resize(show, { capacity: 9 })).status).toBe(200);
    const taken = await hold(catalog, show, { quantity: 5 });
    expect(getHeldPlaceIds(taken)).toHaveLength(5);
    expect(await readAvailability(catalog, show)).toEqual({ capacity: 9, free: 0, held: 9, sold: 0 });
    const claimed = await collections().places.find({ where: { performanceId: id, state: 'held', request: null } });
    expect(claimed.map(({ freeFrom }) => freeFrom <= fast() + CLAIM_MS)).toEqual(Array(4).fill(true));
  });

  test('that release 0.3.0 has written, or prepared, is read', async () => {
    const { upgrade: _, ...plain } = performances;
    const stored = catalog.store.collection(plain).of(catalog.institution);
    for (const settle of [true, false]) {
      const show = await createShow(catalog, createStalls(6));
      const { id } = show.performance;
      const [open, close] = ['capacity:open:old', 'capacity:close:old'].map((name) => `${name}_${id}`);
      expect((await resize(show, { capacity: 5 })).status).toBe(200);
      const where = { performanceId: id, seatCategoryId: show.categoryId };
      await collections().places.claim({ where: { ...where, state: 'withdrawn' }, set: { holder: open ?? '' } });
      const held = { state: 'held', holder: close ?? '', freeFrom: longAgo() } as const;
      await collections().places.claim({ where: { ...where, state: 'free' }, set: held, limit: 2 });
      await stored.update(id, (current) => {
        const capacityChange = { token: `old_${id}`, until: longAgo(), settle };
        const seatCategories = current.seatCategories.map((one) => ({ ...one, capacity: settle ? 4 : 5 }));
        return { next: { ...current, seatCategories, capacityChange } };
      });
      const read = await collections().performances.get(id);
      expect([read?.due !== undefined, read?.capacityClaim ?? null]).toEqual([settle, settle ? `old_${id}` : null]);
      await expectToSell(show, settle ? 4 : 5);
      expect((await resize(show, { capacity: 8 })).status).toBe(200);
      expect(await placesOf(show)).toBe(8);
    }
  });

  const step = fc.record({ capacity: fc.integer({ min: 1, max: 12 }), dies: fc.integer({ min: 1, max: 14 }) });

  test('any sequence of changes, each of which may die anywhere, leaves as many places as the capacity', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), fc.boolean(), async (steps, isWorkDone) => {
        const show = await createShow(catalog, createStalls(6));
        for (const [index, { capacity, dies }] of steps.entries()) {
          const ageMs = (steps.length - index) * (CLAIM_MS + 1_000);
          await resizeAndDie(show, { capacity }, dies, () => Date.now() - ageMs);
          if (isWorkDone) await doDueWork(catalog.store);
        }
        await expectToSell(show, await capacityOf(show));
        expect(await placesOf(show)).toBe(await capacityOf(show));
      }),
      { numRuns: 12 },
    );
  });

  const act = fc.oneof(
    fc.record({ capacity: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ quantity: fc.integer({ min: 1, max: 3 }), lapsed: fc.boolean() }),
  );

  test('changes and sales at once, on two instances, sell no place too many and lose none', async () => {
    const other = await catalog.another(await catalog.engine.open());
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (acts) => {
        const show = await createShow(catalog, createStalls(6));
        const answers = await Promise.all(
          acts.map(async (one, index) => {
            const on = index % 2 === 0 ? catalog : other;
            if ('capacity' in one) return (await resize(show, { capacity: one.capacity }, on)).status;
            const heldUntil = new Date(Date.now() + (one.lapsed ? -1 : 600_000)).toISOString();
            return (await hold(on, show, { quantity: one.quantity, heldUntil })).outcome;
          }),
        );
        // 503: it had no turn in time.
        for (const answer of answers) expect([200, 409, 503, 'held', 'refused']).toContain(answer);
        const capacity = await capacityOf(show);
        const { free, held, ...others } = await readAvailability(other, show);
        expect([others, await placesOf(show)]).toEqual([{ capacity, sold: 0 }, capacity]);
        const more = await Promise.all(Array.from({ length: free + 2 }, () => hold(other, show)));
        expect(more.filter(({ outcome }) => outcome === 'held')).toHaveLength(free);
        expect(await readAvailability(catalog, show)).toEqual({ capacity, free: 0, held: held + free, sold: 0 });
      }),
      { numRuns: 12 },
    );
  });
});
