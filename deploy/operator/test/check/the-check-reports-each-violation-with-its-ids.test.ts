import { randomUUID } from 'node:crypto';
import { type Store, StoreUnavailable } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CheckedStores } from '../../src/check/reading.ts';
import type { Violation } from '../../src/check/verify.ts';
import { verify } from '../../src/check/verify.ts';
import { createInstitutionFixture, engines, type InstitutionFixture } from './institution-fixture.ts';
import { held, type Planted, planted, underWay } from './violations.ts';

/** A store whose first read of every kind, including the outbox's, finds the database unavailable. */
const awayAtFirst = (store: Store, refused: string[]): Store => {
  const once = <T extends object>(of: T, names: readonly string[]): T =>
    new Proxy(of, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || !names.includes(String(name))) return member;
        return (...given: readonly unknown[]) => {
          if (refused.includes(String(name))) return member.apply(target, given);
          refused.push(String(name));
          return Promise.reject(new StoreUnavailable('the database is away'));
        };
      },
    });
  return {
    ...store,
    outbox: once(store.outbox, ['pending']),
    collection: (spec) => {
      const handle = store.collection(spec);
      return {
        ...handle,
        acrossInstitutions: once(handle.acrossInstitutions, ['find', 'get']),
        of: (institution) => once(handle.of(institution), ['find']),
      };
    },
  };
};

describe.each(engines)('on $name', ({ open }) => {
  let stores: CheckedStores;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ stores, close } = await open());
  });
  afterAll(() => close());

  const none = async () => [];

  test('nothing else, and nothing that is under way', async () => {
    const fixtures = new Map<string, InstitutionFixture>();
    const build = async ([what, { access, plant }]: [string, Pick<Planted, 'access' | 'plant'>]): Promise<void> => {
      const fixture = await createInstitutionFixture(stores, `fixture-${randomUUID()}`, access);
      await plant(fixture);
      fixtures.set(what, fixture);
    };
    await Promise.all(Object.entries({ ...planted, ...underWay }).map(build));
    const { violations, undecided, counts } = await verify({ stores, queues: none, settleMs: 60, patienceMs: 1_500 });
    expect(counts).toMatchObject({
      performances: fixtures.size,
      contacts: 2 * fixtures.size,
      // What the two plants leave whose holder is no order.
      abandoned_places: 2,
    });
    const of = (what: string, all: readonly Violation[]) =>
      all.filter(({ institution }) => institution === fixtures.get(what)?.institution);
    for (const [what, { invariants, named }] of Object.entries(planted)) {
      const here = of(what, violations);
      expect([what, [...new Set(here.map(({ invariant }) => invariant))].sort()]).toEqual([
        what,
        [...invariants].sort(),
      ]);
      const fixture = fixtures.get(what) as InstitutionFixture;
      expect([what, here.flatMap(({ ids }) => ids)]).toEqual([
        what,
        expect.arrayContaining([...(named?.(fixture) ?? [])]),
      ]);
    }
    for (const what of Object.keys(underWay)) expect([what, of(what, violations)]).toEqual([what, []]);
    expect(new Set(undecided.map(({ invariant }) => invariant))).toEqual(
      new Set(['place_owner', 'line_place', 'line_ticket', 'ticket_order', 'cancellation', 'usage', 'event']),
    );

    const fixture = fixtures.get('sold to nobody') as InstitutionFixture;
    const one = await verify({ stores, queues: none, settleMs: 0, institution: fixture.institution });
    expect([one.counts.places, one.counts.uses]).toEqual([7, 3]);
    expect(one.violations.map(({ ids }) => ids)).toEqual([[fixture.place(5)]]);
  });

  test('a place that its own order lost is reported as such, and is no double sale', async () => {
    const { institution, place, id, setPlace } = await createInstitutionFixture(stores, `lost-${randomUUID()}`);
    const [lost, order] = [place(2), id('ord_sold')];
    for (const state of ['free', 'held'] as const) {
      const freeFrom = state === 'free' ? 0 : held.freeFrom;
      await setPlace(2, { state, freeFrom, holder: order });
      const { violations } = await verify({ stores, queues: none, institution, settleMs: 10, patienceMs: 100 });
      const [violation, ...more] = violations.filter(({ invariant }) => invariant === 'line_place');
      expect([violation?.ids, more]).toEqual([[order, lost], []]);
      expect(violation?.text).toMatch(
        new RegExp(`^line .* of ${order} \\(confirmed\\): its place ${lost} is ${state}$`),
      );
    }
  });

  test('while a queue holds messages, or cannot be asked, everything may be under way', async () => {
    const { institution, setPlace } = await createInstitutionFixture(stores, `queue-${randomUUID()}`);
    await setPlace(5, { state: 'sold' });
    const short = { stores, institution, settleMs: 10, patienceMs: 100 };
    const queue = { queue: 'tickets.orders.v1', waiting: 1, retrying: 0, dead: 0 };
    const full = await verify({ ...short, queues: async () => [queue] });
    expect([full.violations.length, full.undecided.length]).toEqual([0, 1]);
    const gone = await verify({ ...short, queues: () => Promise.reject(new Error('no answer')) });
    expect([gone.violations.length, gone.undecided.length, gone.unasked]).toEqual([0, 1, 'no answer']);
  });

  test('it goes on after the database was away for a moment', async () => {
    const { institution, setPlace } = await createInstitutionFixture(stores, `away-${randomUUID()}`);
    await setPlace(5, { state: 'sold' });
    const refused = { catalog: [] as string[], orders: [] as string[] };
    const [catalog, orders] = [
      awayAtFirst(stores.catalog, refused.catalog),
      awayAtFirst(stores.orders, refused.orders),
    ];
    const { violations } = await verify({
      stores: { ...stores, catalog, orders },
      queues: none,
      institution,
      settleMs: 10,
    });
    expect(violations.map(({ invariant }) => invariant)).toContain('place_state');
    expect(refused.catalog.sort()).toEqual(['find', 'get', 'pending']);
    expect(refused.orders.sort()).toEqual(['find', 'pending']);
  });
});
