import { collection, type Document } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Announced, announceWrites } from '../src/index.ts';
import { listTestEngines, notExercised } from '../src/testkit/index.ts';

interface Thing extends Document, Pick<Announced, 'lastAnnouncement'> {
  readonly state: string;
  readonly note?: string;
}

const things = collection<Thing>('things', []);

const announce = (before: Thing | undefined, after: Thing) => {
  const one = (type: string, id = after.id) => ({
    type,
    resource: { type: 'thing', id },
    data: { state: after.state },
  });
  if (!before) return [one('thing.created')];
  if (before.state === after.state) return [];
  return after.state === 'ended'
    ? [one('part.ended', `${after.id}.part`), one('thing.ended'), one('thing.closed')]
    : [one('thing.changed')];
};

describe.each(listTestEngines('things', [things]))(`each write is announced on $name${notExercised}`, (engine) => {
  let opened: Awaited<ReturnType<typeof engine.open>>;
  beforeAll(async () => {
    opened = await engine.open();
  });
  afterAll(() => opened.discard());

  const handle = () => announceWrites(opened.store.collection(things), 'thing.recorded', announce);
  const events = async (id: string) =>
    (await opened.store.outbox.pending(1_000))
      .filter(({ key, type }) => key === id && type === 'thing.recorded')
      .map(({ data }) => (data as { event: Record<string, unknown> }).event);

  test('in the same write, each with its position and the one before', async () => {
    const mine = handle().of('opera');
    await mine.insert({ id: 'one', state: 'new' });
    await mine.update('one', (current) => ({ next: { ...current, note: 'not announced' } }));
    await mine.update('one', (current) => ({ next: { ...current, state: 'used' } }));
    await handle().acrossInstitutions.update('one', (current) => ({ next: { ...current, state: 'ended' } }));
    const all = await events('one');
    expect(all.map(({ type, version, position, before }) => [type, version, position, before])).toEqual([
      ['thing.created', 1, 10, null],
      ['thing.changed', 3, 30, 10],
      ['part.ended', 4, 40, null],
      ['thing.ended', 4, 41, 30],
      ['thing.closed', 4, 42, 41],
    ]);
  });

  test('a part that is announced again has the position of its last one before', async () => {
    const mine = handle().of('opera');
    await mine.insert({ id: 'parts', state: 'new' });
    for (const state of ['ended', 'used', 'ended'])
      await mine.update('parts', (current) => ({ next: { ...current, state } }));
    const parts = (await events('parts')).filter(({ type }) => type === 'part.ended');
    expect(parts.map(({ position, before }) => [position, before])).toEqual([
      [20, null],
      [40, 20],
    ]);
    expect((await events('parts')).at(-1)).toMatchObject({ type: 'thing.closed', before: 41 });
  });

  test('a write that drops members it does not know keeps the position', async () => {
    const mine = handle().of('opera');
    await mine.insert({ id: 'two', state: 'new' });
    await mine.update('two', () => ({ next: { id: 'two', state: 'new' } }));
    await mine.update('two', () => ({ next: { id: 'two', state: 'used' } }));
    expect((await events('two')).map(({ before }) => before)).toEqual([null, 10]);
  });

  test('many that are inserted at once, and none of those that exist', async () => {
    const mine = handle().of('opera');
    await mine.insert({ id: 'many-0', state: 'new' });
    const many = Array.from({ length: 120 }, (_, index) => ({ id: `many-${index}`, state: 'new' }));
    expect(await mine.insertMany(many)).toBe(119);
    for (const { id } of many) expect(await events(id)).toHaveLength(1);
  });

  test('an aborted write announces nothing', async () => {
    const mine = handle().of('opera');
    await mine.insert({ id: 'three', state: 'new' });
    await mine.update('three', () => undefined);
    await expect(mine.insert({ id: 'three', state: 'new' })).rejects.toThrow();
    expect(await events('three')).toHaveLength(1);
  });
});
