import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { checkLargeAnswers } from '../../src/conformance/idempotency-records.ts';
import { createId, createThing, getThings, suiteCollections, type Thing } from '../../src/conformance/subject.ts';
import type { Documents, IdempotencyRecord, New, Store } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { openBehindProxy, openStore } from './engine.ts';
import { isWrite } from './proxy.ts';

const recordOf = (key: string, subjects: readonly string[] = []): IdempotencyRecord<Thing> => ({
  key,
  fingerprint: 'print',
  expiresAt: Date.now() + 3_600_000,
  answer: ({ version }) => ({ status: 200, headers: {}, body: { version }, subjects }),
});
const fact = (n: number) => ({ type: 'thing.changed', data: { n } });

describeMongo('a write on MongoDB is one document', (url) => {
  let its: Awaited<ReturnType<typeof openBehindProxy>>;
  let store: Store;
  let mine: Documents<Thing>;
  let institution: string;

  beforeAll(async () => {
    its = await openBehindProxy(url, 60_000);
    store = its.store;
    institution = createId('inst');
    mine = getThings(store).of(institution);
  });
  afterAll(() => its.close());

  const known = (key: string) => store.idempotency.find(key);
  const pending = async (key: string) => (await store.outbox.pending(100_000)).filter((one) => one.key === key);

  test('with its events and its idempotency record in the same command, acknowledged by a journaled majority', async () => {
    const { seen } = its;
    seen.length = 0;
    const { id } = await mine.insert(createThing(), {
      events: [fact(1)],
      idempotencyRecord: recordOf(createId('key')),
    });
    const idempotencyRecord = recordOf(createId('key'));
    await mine.update(id, (current) => ({ next: current, events: [fact(2)] }), { idempotencyRecord });
    const writes = seen.filter(isWrite);
    expect(writes.map((one) => Object.entries(one)[0])).toEqual([
      ['insert', 'things'],
      ['update', 'things'],
    ]);
    for (const one of writes) expect(one.writeConcern).toMatchObject({ w: 'majority', j: true });
    const reads = seen.filter((one) => 'find' in one);
    expect(reads.length).toBeGreaterThan(0);
    for (const one of reads) expect(one.readConcern).toEqual({ level: 'majority' });
  });

  test('and callers do not get the members that the engine adds', async () => {
    const input = createThing({
      show: createId('show'),
      state: 'free',
      spread: 0.5,
      email: `${createId()}@example.org`,
    });
    const events = [fact(1)];
    const idempotencyRecord = recordOf(createId('key'), ['someone']);
    const inserted = await mine.insert(input, { events, idempotencyRecord });
    const updated = await mine.update(input.id, (current) => {
      expect(current).toEqual(inserted);
      return { next: current, events };
    });
    const [claimed] = await mine.claim({ where: { id: input.id }, set: { state: 'held' }, limit: 1, spread: 'spread' });
    const [swapped] = await mine.claim({ where: { id: input.id }, set: { email: null } });
    expect(inserted).toEqual({ ...input, institution, version: 1 });
    expect(updated).toEqual({ ...input, institution, version: 2 });
    expect(claimed).toEqual({ ...input, institution, version: 3, state: 'held' });
    expect(swapped).toEqual({ ...input, institution, version: 4, state: 'held', email: null });
    expect(await mine.get(input.id)).toEqual(swapped);
    expect(await mine.find({ where: { id: input.id } })).toEqual([swapped]);
  });

  test('whose members may have names with a special meaning in MongoDB', async () => {
    const odd = { $set: { 'a.b': [{ $inc: 1 }], '%24': '$' }, _outbox: 'mine', _id: 7, '': 0, '\0': null };
    const input = { ...createThing(), ...odd } as New<Thing>;
    const inserted = await mine.insert(input, { events: [{ type: 'thing.odd', data: odd }] });
    expect(await mine.get(input.id)).toEqual({ ...input, institution, version: 1 });
    const next = { ...inserted, 'c.d': 1 } as New<Thing>;
    expect(await mine.update(input.id, () => ({ next }))).toEqual({ ...next, version: 2 });
    const [claimed] = await mine.claim({ where: { id: input.id }, set: { '%x': { $y: 1 } } as object });
    expect(claimed).toEqual({ ...next, '%x': { $y: 1 }, version: 3 });
    expect(await mine.get(input.id)).toEqual(claimed);
    const plain = { id: input.id, name: 'plain' };
    expect(await mine.update(input.id, () => ({ next: plain }))).toEqual({ ...plain, institution, version: 4 });
    expect(await mine.get(input.id)).toEqual({ ...plain, institution, version: 4 });
    expect((await pending(input.id)).map((one) => one.data)).toEqual([odd]);
  });

  test('which holds at most fifty idempotency records; older ones are moved and not lost', async () => {
    const { id } = await mine.insert(createThing());
    const keys = Array.from({ length: 60 }, () => createId('key'));
    for (const key of keys)
      await mine.update(id, (current) => ({ next: current }), { idempotencyRecord: recordOf(key) });
    const stored = await its.records((records) => records.findOne({ _id: id }));
    expect((stored as { _idempotencyRecords?: unknown[] } | null)?._idempotencyRecords?.length).toBe(50);
    for (const [i, key] of keys.entries()) {
      const found = await known(key);
      expect(found?.answer.body).toEqual({ version: i + 2 });
      await expect(mine.insert(createThing(), { idempotencyRecord: recordOf(key) })).rejects.toThrow('taken');
    }
  });

  test('which stays far below MongoDB’s limit of 16 MiB, however large its stored answers are', async () => {
    // Without the proxy, which would read each of these large commands.
    const direct = await openStore(its.settings, suiteCollections);
    const id = await checkLargeAnswers({ store: direct }, 1_000);
    await direct.close();
    const stored = await its.records((records) => records.findOne({ _id: id }));
    const own = BSON.calculateObjectSize((stored as { body?: object } | null)?.body ?? {});
    expect(own).toBeGreaterThan(200_000);
    // The document itself, and a mebibyte of answers.
    expect(BSON.calculateObjectSize(stored ?? {})).toBeLessThan(own + 1_100_000);
  });

  test('and is refused while a thousand of its events are unpublished', async () => {
    const { id } = await mine.insert(createThing(), { events: Array.from({ length: 999 }, (_, n) => fact(n)) });
    const write = () => mine.update(id, (current) => ({ next: current, events: [fact(999)] }));
    await write();
    await expect(write()).rejects.toThrow(`things/${id} has 1000 events that were not published`);
    expect((await mine.update(id, (current) => ({ next: { ...current, name: 'silent' } })))?.version).toBe(3);
    await store.outbox.done((await pending(id)).map((one) => one.id));
    expect((await write())?.version).toBe(4);
    expect((await pending(id)).map((one) => one.version)).toEqual([4]);
  });

  test('whose events and stored answers survive its deletion', async () => {
    const key = createId('key');
    const { id } = await mine.insert(createThing(), { idempotencyRecord: recordOf(key), events: [fact(1), fact(2)] });
    const before = await pending(id);
    await store.outbox.done([before[0]?.id ?? '']);
    expect(await mine.delete(id)).toBe(true);
    expect(await pending(id)).toEqual(before.slice(1));
    await store.outbox.done([before[1]?.id ?? '', `${randomUUID()}`]);
    expect(await pending(id)).toEqual([]);
    expect(await known(key)).toBeDefined();
    await expect(mine.insert(createThing(), { idempotencyRecord: recordOf(key) })).rejects.toThrow('taken');
  });

  test('and the answers about a subject are deleted in the documents and among the moved ones', async () => {
    const person = createId('person');
    const [deleted, alive, other] = [createId('key'), createId('key'), createId('key')];
    const gone = await mine.insert(createThing(), { idempotencyRecord: recordOf(deleted, [person]) });
    const { id } = await mine.insert(createThing(), {
      idempotencyRecord: recordOf(alive, [createId('person'), person]),
    });
    await mine.update(id, (current) => ({ next: current }), {
      idempotencyRecord: recordOf(other, [createId('person')]),
    });
    await mine.delete(gone.id);
    await store.idempotency.forget(person);
    for (const key of [deleted, alive]) expect(await known(key)).toBeUndefined();
    expect(await known(other)).toBeDefined();
  });
});
