import assert from 'node:assert/strict';
import { IdempotencyKeyTaken } from '../engines.ts';
import type { IdempotencyRecord, Store } from '../port.ts';
import { type Check, check, createId, createThing, getThings, type Subject, type Thing } from './subject.ts';

const hour = 3_600_000;

const recordOf = (
  key: string,
  fields: Partial<IdempotencyRecord<Thing>> & { subjects?: readonly string[] } = {},
): IdempotencyRecord<Thing> => ({
  key,
  fingerprint: 'print',
  expiresAt: Date.now() + hour,
  answer: (document) => ({
    status: 201,
    headers: { location: `/things/${document.id}` },
    body: { name: document.name, version: document.version },
    ...(fields.subjects === undefined ? {} : { subjects: fields.subjects }),
  }),
  ...(fields.expiresAt === undefined ? {} : { expiresAt: fields.expiresAt }),
});

const findAnswer = (store: Store, key: string) => store.idempotency.find(key);

/** A document as large as an order of the given number of places, about 250 bytes of JSON each. */
const largeThing = (count: number): Thing & { readonly lines: readonly object[] } => {
  const line = {
    performanceId: createId('prf'),
    seatCategoryId: createId('cat'),
    tariffId: createId('trf'),
    amount: 4200,
  };
  const lines = Array.from({ length: count }, (_, n) => ({
    id: createId('lin'),
    ...line,
    label: `row ${n}`,
    ticketId: null,
  }));
  return { ...createThing(), version: 0, institution: '', lines };
};

/** Sixty requests change one document of `lineCount` times 250 bytes and store it as their answer, 3 MB by default. */
export async function checkLargeAnswers({ store }: Pick<Subject, 'store'>, lineCount = 200): Promise<string> {
  const mine = getThings(store).of(createId('inst'));
  const keys = Array.from({ length: 60 }, () => createId('key'));
  const { id } = await mine.insert(largeThing(lineCount));
  for (const key of keys) {
    const answer = (body: Thing) => ({ status: 200, headers: {}, body });
    const idempotencyRecord = { key, fingerprint: 'print', expiresAt: Date.now() + hour, answer };
    await mine.update(id, (current) => ({ next: { ...current, count: (current.count ?? 0) + 1 } }), {
      idempotencyRecord,
    });
  }
  const last = await mine.get(id);
  for (const [i, key] of keys.entries()) {
    const found = await findAnswer(store, key);
    assert.ok(found, `the answer to request ${i + 1} is gone`);
    assert.deepEqual(found.answer.body, { ...last, count: i + 1, version: i + 2 });
  }
  return id;
}

export const idempotencyRecords: readonly Check[] = [
  check(
    'a repeat is refused without effect, and every instance remembers the answer',
    async ({ store, mine, institution, elsewhere }) => {
      const key = createId('key');
      const first = await mine.insert(createThing({ email: 'a@b.c' }), { idempotencyRecord: recordOf(key) });
      const events = [{ type: 'thing.created', data: {} }];
      for (const handle of [mine, await elsewhere()]) {
        await assert.rejects(
          handle.insert(createThing({ email: 'a@b.c' }), { idempotencyRecord: recordOf(key), events }),
          IdempotencyKeyTaken,
          'a taken idempotency key takes precedence over a taken value',
        );
      }
      assert.equal(await mine.count(), 1, 'the repeat was written');
      assert.equal(
        (await store.outbox.pending(100_000)).some((one) => one.institution === institution),
        false,
      );
      const found = await findAnswer(store, key);
      assert.deepEqual(found, {
        fingerprint: 'print',
        answer: { status: 201, headers: { location: `/things/${first.id}` }, body: { name: 'Ada', version: 1 } },
      });
    },
  ),
  check('of 20 concurrent updates with one key one takes effect', async ({ mine, elsewhere }) => {
    const handles = [mine, await elsewhere()];
    const { id } = await mine.insert(createThing({ count: 0 }));
    const key = createId('key');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        (handles[i % 2] ?? mine).update(id, (current) => ({ next: { ...current, count: (current.count ?? 0) + 1 } }), {
          idempotencyRecord: recordOf(key),
        }),
      ),
    );
    assert.equal((await mine.get(id))?.count, 1, 'the effect happened more than once');
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(refused.length, 19);
    for (const reason of refused) assert.ok(reason instanceof IdempotencyKeyTaken, String(reason));
  }),
  check('a refused write leaves its key free', async ({ store, mine }) => {
    await mine.insert(createThing({ email: 'taken@example.org' }));
    const key = createId('key');
    await assert.rejects(
      mine.insert(createThing({ email: 'taken@example.org' }), { idempotencyRecord: recordOf(key) }),
    );
    assert.equal(await findAnswer(store, key), undefined);
    await mine.insert(createThing({ email: 'other@example.org' }), { idempotencyRecord: recordOf(key) });
  }),
  check('the answer is derived from the document as written, also after a lost race', async ({ store, mine }) => {
    const { id } = await mine.insert(createThing({ count: 0 }));
    const keys = Array.from({ length: 10 }, () => createId('key'));
    const written = await Promise.all(
      keys.map((key) => mine.update(id, (current) => ({ next: current }), { idempotencyRecord: recordOf(key) })),
    );
    for (const [i, key] of keys.entries()) {
      const found = await findAnswer(store, key);
      assert.ok(found);
      assert.deepEqual(found.answer.body, { name: 'Ada', version: written[i]?.version });
    }
  }),
  check(
    'sixty remembered answers of a document as large as an order of two hundred places are all stored',
    async (scene) => void (await checkLargeAnswers(scene)),
    300_000,
  ),
  check('an update that leaves the document unchanged leaves its key free', async ({ store, mine }) => {
    const { id } = await mine.insert(createThing());
    const key = createId('key');
    await mine.update(id, () => undefined, { idempotencyRecord: recordOf(key) });
    assert.equal(await findAnswer(store, key), undefined);
  }),
  check(
    'a repeat is refused as taken also where its function leaves the document unchanged or throws',
    async ({ mine }) => {
      const { id } = await mine.insert(createThing({ count: 0 }));
      const options = { idempotencyRecord: recordOf(createId('key')) };
      await mine.update(id, (current) => ({ next: { ...current, count: 1 } }), options);
      const refuse = (): never => {
        throw new Error('the count is 1 already');
      };
      for (const fn of [() => undefined, refuse])
        await assert.rejects(mine.update(id, fn, options), IdempotencyKeyTaken);
      // Another request is told what the function says.
      const other = { idempotencyRecord: recordOf(createId('key')) };
      await assert.rejects(mine.update(id, refuse, other), /the count is 1 already/);
      assert.equal((await mine.update(id, () => undefined, other))?.count, 1);
    },
  ),
  check(
    'a change may be written without the record, and a later change of the same request with it',
    async ({ store, mine }) => {
      const { id } = await mine.insert(createThing({ count: 0 }));
      const key = createId('key');
      const options = { idempotencyRecord: recordOf(key) };
      const countAndRemember = (remember: boolean) => (current: Thing) => ({
        next: { ...current, count: (current.count ?? 0) + 1 },
        remember,
      });
      await mine.update(id, countAndRemember(false), options);
      assert.equal(await findAnswer(store, key), undefined);
      await mine.update(id, countAndRemember(true), options);
      const found = await findAnswer(store, key);
      assert.ok(found);
      assert.deepEqual(found.answer.body, { name: 'Ada', version: 3 });
      await assert.rejects(mine.update(id, countAndRemember(true), options), IdempotencyKeyTaken);
      assert.equal((await mine.get(id))?.count, 2);
    },
  ),
  check('a key is free again after it expired', async ({ store, mine }) => {
    const key = createId('key');
    await mine.insert(createThing(), { idempotencyRecord: recordOf(key, { expiresAt: Date.now() - 1 }) });
    assert.equal(await findAnswer(store, key), undefined);
    await mine.insert(createThing(), { idempotencyRecord: recordOf(key) });
    assert.ok(await findAnswer(store, key));
    await assert.rejects(mine.insert(createThing(), { idempotencyRecord: recordOf(key) }), IdempotencyKeyTaken);
  }),
  check('a key that has an answer without a write refuses every write as taken', async ({ store, another, mine }) => {
    const { id } = await mine.insert(createThing({ count: 0 }));
    const idempotencyRecord = recordOf(createId('key'));
    const refusal = { status: 409, headers: {}, body: null };
    assert.equal(await (await another()).idempotency.remember(idempotencyRecord, refusal), undefined);
    const count = (current: Thing) => ({ next: { ...current, count: 1 } });
    const writes = [mine.insert(createThing(), { idempotencyRecord }), mine.update(id, count, { idempotencyRecord })];
    for (const write of writes) await assert.rejects(write, IdempotencyKeyTaken);
    assert.equal((await mine.get(id))?.count, 0);
    assert.equal((await findAnswer(store, idempotencyRecord.key))?.answer.status, 409);
  }),
  check(
    'a refusal whose key an effect carries is not stored: it gets the answer of the effect',
    async ({ store, another }) => {
      const idempotencyRecord = recordOf(createId('key'));
      const { id } = await getThings(store).of(createId('inst')).insert(createThing(), { idempotencyRecord });
      const refusal = { status: 409, headers: {}, body: null };
      for (const one of [store, await another()]) {
        const first = await one.idempotency.remember({ ...idempotencyRecord, fingerprint: 'other' }, refusal);
        assert.deepEqual([first?.fingerprint, first?.answer.headers], ['print', { location: `/things/${id}` }]);
        assert.equal((await findAnswer(one, idempotencyRecord.key))?.answer.status, 201);
      }
    },
  ),
  check('a write can delete the answers about a subject, except its own', async ({ store, mine }) => {
    const subject = createId('person');
    const [spoken, other, own] = [createId('key'), createId('key'), createId('key')];
    const { id } = await mine.insert(createThing(), {
      idempotencyRecord: recordOf(spoken, { subjects: [createId('person'), subject] }),
    });
    await mine.insert(createThing(), { idempotencyRecord: recordOf(other, { subjects: [createId('person')] }) });
    await mine.update(id, (current) => ({ next: { ...current, name: '' } }), {
      idempotencyRecord: recordOf(own),
      forget: subject,
    });
    assert.equal(await findAnswer(store, spoken), undefined);
    assert.ok(await findAnswer(store, other));
    assert.ok(await findAnswer(store, own));
  }),
];
