import { randomUUID } from 'node:crypto';
import { collection, type Document, type Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type SweepOptions, startSweeper } from '../src/index.ts';
import { listTestEngines, type OpenEngine } from '../src/testkit/index.ts';

interface Visit extends Document {
  readonly endsAt: number | null;
  readonly madeAt: string;
}

const visits = collection<Visit>('visits', [
  { name: 'ends', fields: ['endsAt'], acrossInstitutions: true },
  { name: 'made', fields: ['madeAt'], acrossInstitutions: true },
]);
const others = collection<Visit>('others', []);
const elsewhere = collection<Visit>('elsewhere', [{ name: 'ends', fields: ['endsAt'], acrossInstitutions: true }]);
const collections = [visits, others, elsewhere];

const NOW = Date.UTC(2026, 10, 21);
const iso = (at: number) => new Date(at).toISOString();
const LONG_MS = 3_600_000;

describe.each(listTestEngines('retention', collections))('on $name', (engine) => {
  let data: OpenEngine;
  let store: Store;
  beforeAll(async () => {
    data = await engine.start();
    store = await data.open();
  });
  afterAll(() => data.close());

  const warnings: unknown[] = [];
  const open = (more: Partial<SweepOptions> = {}) =>
    startSweeper({
      store,
      collections,
      retention: { visits: { retained: 'a minute', ends: [{ field: 'endsAt', afterMs: 60_000 }] } },
      logger: { warn: (_message, fields) => void warnings.push(fields?.error) },
      now: () => NOW,
      everyMs: LONG_MS,
      batch: 10,
      ...more,
    });
  const put = (institution: string, endsAt: number | null, madeAt = NOW) =>
    store
      .collection(visits)
      .of(institution)
      .insert({ id: randomUUID(), endsAt, madeAt: iso(madeAt) });
  const left = (institution: string) => store.collection(visits).of(institution).count();

  test('in batches, for every institution, and no others', async () => {
    for (let count = 0; count < 35; count += 1) await put(count % 2 ? 'opera' : 'museum', NOW - 60_000 - count);
    await put('opera', NOW - 59_999);
    await put('opera', null);
    await store
      .collection(others)
      .of('opera')
      .insert({ id: randomUUID(), endsAt: 0, madeAt: iso(0) });
    const sweeper = open();
    expect(await sweeper.sweep()).toBe(35);
    expect([await left('opera'), await left('museum'), await store.collection(others).of('opera').count()]).toEqual([
      2, 0, 1,
    ]);
    expect(await sweeper.sweep()).toBe(0);
    await sweeper.close();
  });

  test('at the earliest of their ends, each after its dependents', async () => {
    const [early, late] = [await put('first', NOW - 60_000), await put('first', null, NOW - 5_000)];
    await put('first', null, NOW - 4_999);
    const along: string[] = [];
    const sweeper = open({
      retention: {
        visits: {
          retained: 'a while',
          ends: [
            { field: 'endsAt', afterMs: 60_000 },
            { field: 'madeAt', iso: true, afterMs: 5_000 },
          ],
          along: async (_store, { id, institution }) => {
            if (institution !== 'first') return;
            expect(await store.collection(visits).of('first').get(id)).toBeDefined();
            along.push(id);
          },
        },
      },
    });
    await sweeper.sweep();
    await sweeper.close();
    expect(along.sort()).toEqual([early.id, late.id].sort());
    expect(await left('first')).toBe(1);
  });

  test('by one instance at a time, regularly, and a failure is logged and retried', async () => {
    await put('third', NOW - 60_000);
    let isFailing = true;
    const holder = open({
      everyMs: 5,
      retention: {
        visits: {
          retained: 'a minute',
          ends: [{ field: 'endsAt', afterMs: 60_000 }],
          along: async () => {
            if (isFailing) throw new Error('planted');
          },
        },
      },
    });
    const until = async (holds: () => boolean | Promise<boolean>) => {
      while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(() => warnings.length > 1);
    const idle = open({ store: await data.open() });
    expect(await idle.sweep()).toBe(0);
    await idle.close();
    expect(await left('third')).toBe(1);
    isFailing = false;
    await until(async () => (await left('third')) === 0);
    await holder.close();
  });

  test('even if the removal of others fails, in the same collection or another one', async () => {
    const stuck = await put('fourth', NOW - 90_000);
    for (let count = 0; count < 25; count += 1) await put('fourth', NOW - 60_000 - count);
    const before = warnings.length;
    const minute = { retained: 'a minute', ends: [{ field: 'endsAt', afterMs: 60_000 }] };
    const late = await store
      .collection(elsewhere)
      .of('fourth')
      .insert({ id: randomUUID(), endsAt: NOW - 60_000, madeAt: iso(NOW) });
    const along = async (_store: Store, { id }: Document) => {
      if (id === stuck.id) throw new Error('planted');
    };
    const sweeper = open({
      collections: [visits, elsewhere],
      retention: { visits: { ...minute, along }, elsewhere: minute },
    });
    expect(await sweeper.sweep()).toBe(26);
    expect(await left('fourth')).toBe(1);
    expect(await store.collection(elsewhere).of('fourth').get(late.id)).toBeUndefined();
    expect(warnings.slice(before)).toEqual([expect.objectContaining({ message: 'planted' })]);
    await store.collection(visits).of('fourth').delete(stuck.id);
    await sweeper.close();
  });

  test('closing ends a long sweep after the current batch', async () => {
    for (let count = 0; count < 40; count += 1) await put('last', NOW - 60_000);
    const closing: Promise<void>[] = [];
    const sweeper = open({
      retention: {
        visits: {
          retained: 'a minute',
          ends: [{ field: 'endsAt', afterMs: 60_000 }],
          along: async () => {
            if (closing.length === 0) closing.push(sweeper.close());
          },
        },
      },
    });
    expect(await sweeper.sweep()).toBe(10);
    await Promise.all(closing);
    expect(await left('last')).toBe(30);
  });
});
