import assert from 'node:assert/strict';
import { UniqueViolation } from '../engines.ts';
import type { Store } from '../port.ts';
import { type Check, check, createId, createThing, getThings, others, requireUniqueViolation } from './subject.ts';

/** Insert, get, insertMany, delete, as far as the model's histories do not have it. */
export const documents: readonly Check[] = [
  check(
    'an inserted document has version 1 and its institution, and is read back unchanged',
    async ({ institution, mine }) => {
      const input = createThing({
        name: 'Zoë "quoted" – \u0000 😀',
        rank: -1.5,
        active: false,
        address: { city: null },
        tags: ['a', ''],
      });
      const inserted = await mine.insert(input);
      assert.deepEqual(inserted, { ...input, version: 1, institution });
      assert.deepEqual(await mine.get(input.id), inserted);
    },
  ),
  check('members that are undefined are absent when read back', async ({ mine }) => {
    const input = createThing({ email: undefined });
    await mine.insert(input);
    assert.equal('email' in ((await mine.get(input.id)) ?? {}), false);
  }),
  check('the next read sees an acknowledged insert, also in another instance', async ({ mine, elsewhere }) => {
    const other = await elsewhere();
    for (let i = 0; i < 20; i++) {
      const { id } = await mine.insert(createThing());
      assert.equal((await other.get(id))?.id, id);
    }
  }),
  check('changes of the caller’s object after the call are not stored', async ({ mine }) => {
    const input = { ...createThing(), tags: ['before'] };
    const pending = mine.insert(input);
    input.tags.push('after');
    await pending;
    assert.deepEqual((await mine.get(input.id))?.tags, ['before']);
  }),
  check('insertMany inserts, skips ids that exist, and counts only the new ones', async ({ mine }) => {
    const many = Array.from({ length: 2500 }, (_, rank) => createThing({ rank }));
    assert.equal(await mine.insertMany(many.slice(0, 1000)), 1000);
    const renamed = many.map((one) => ({ ...one, name: 'again' }));
    assert.equal(await mine.insertMany(renamed), 1500);
    assert.equal(await mine.count(), 2500);
    assert.equal(await mine.count({ name: 'Ada' }), 1000);
    assert.deepEqual([await mine.count({ name: 'Ada' }, 999), await mine.count({ name: 'Ada' }, 1001)], [999, 1000]);
    assert.equal((await mine.get(many[2000]?.id ?? ''))?.version, 1);
    assert.equal(await mine.insertMany([]), 0);
  }),
  check('insertMany skips the repetition of an id in the same call', async ({ mine }) => {
    const one = createThing();
    assert.equal(await mine.insertMany([one, { ...one, name: 'twin' }]), 1);
    assert.equal((await mine.get(one.id))?.name, 'Ada');
  }),
  check('insertMany refuses a document that violates another unique index', async ({ mine }) => {
    await requireUniqueViolation(
      mine.insertMany([createThing({ email: 'a@b.c' }), createThing({ email: 'a@b.c' })]),
      'email',
    );
  }),
  check('delete with a version leaves a document that was changed since', async ({ mine }) => {
    const { id, version } = await mine.insert(createThing());
    const changed = await mine.update(id, (current) => ({ next: { ...current, name: 'Eve' } }));
    assert.equal(await mine.delete(id, version), false);
    assert.equal((await mine.get(id))?.name, 'Eve');
    assert.equal(await mine.delete(id, changed?.version), true);
    assert.equal(await mine.get(id), undefined);
    assert.equal(await mine.delete(id, version), false);
  }),
  check('documents of one collection do not appear in another', async ({ store, institution, mine }) => {
    const { id } = await mine.insert(createThing());
    const elsewhere = store.collection(others).of(institution);
    assert.equal(await elsewhere.get(id), undefined);
    assert.deepEqual(await elsewhere.find(), []);
    await elsewhere.insert(createThing({ id }));
  }),
  check('200 concurrent inserts are all stored', async ({ mine }) => {
    const written = await Promise.all(Array.from({ length: 200 }, (_, rank) => mine.insert(createThing({ rank }))));
    const found = await mine.find({ orderBy: 'rank' });
    assert.deepEqual(found, written);
  }),
];

export const updates: readonly Check[] = [
  check('64 concurrent increments are all counted', async ({ store, mine, elsewhere }) => {
    const handles = [mine, await elsewhere()];
    const { id } = await mine.insert(createThing({ count: 0 }));
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (handles[i % 2] ?? mine).update(id, (current) => ({
          next: { ...current, count: (current.count ?? 0) + 1 },
          events: [{ type: 'thing.counted', data: { count: (current.count ?? 0) + 1 } }],
        })),
      ),
    );
    const stored = await mine.get(id);
    assert.equal(stored?.count, 64, 'increments were lost');
    assert.equal(stored?.version, 65);
    assert.equal(new Set(results.map((one) => one?.version)).size, 64, 'two updates returned the same version');
    const events = (await store.outbox.pending(100_000)).filter((one) => one.key === id);
    assert.deepEqual(
      events.map((one) => one.version),
      Array.from({ length: 64 }, (_, i) => i + 2),
    );
  }),
  check('an update returns the next version of the document, as it is then read', async ({ mine }) => {
    const first = await mine.insert(createThing({ rank: 1, email: 'x@example.org' }));
    const second = await mine.update(first.id, ({ email: _email, ...rest }) => ({ next: { ...rest, rank: 2 } }));
    assert.equal(second?.version, 2);
    assert.equal(second?.rank, 2);
    assert.deepEqual(await mine.get(first.id), second);
    assert.equal('email' in (second ?? {}), false, '`next` replaces the document as a whole');
    assert.equal(await mine.count({ email: 'x@example.org' }), 0);
  }),
  check('a function that returns undefined leaves the document unchanged', async ({ store, mine }) => {
    const first = await mine.insert(createThing());
    const events = [{ type: 'thing.changed', data: {} }];
    assert.deepEqual(await mine.update(first.id, () => undefined, { events }), first);
    assert.deepEqual(await mine.get(first.id), first);
    assert.equal(
      (await store.outbox.pending(100_000)).some((one) => one.key === first.id),
      false,
    );
  }),
  check('an error of the function aborts the update', async ({ mine }) => {
    const first = await mine.insert(createThing());
    const refusal = new Error('no');
    await assert.rejects(
      mine.update(first.id, () => {
        throw refusal;
      }),
      (thrown) => thrown === refusal,
    );
    assert.deepEqual(await mine.get(first.id), first);
  }),
  check('an update cannot change the id', async ({ mine }) => {
    const first = await mine.insert(createThing());
    await assert.rejects(mine.update(first.id, (current) => ({ next: { ...current, id: createId() } })));
    assert.deepEqual(await mine.get(first.id), first);
  }),
  check('a delete that races with updates wins, and no update restores the document', async ({ mine }) => {
    for (let round = 0; round < 20; round++) {
      const { id } = await mine.insert(createThing());
      await Promise.all([
        mine.update(id, (current) => ({ next: { ...current, name: 'late' } })),
        mine.delete(id),
        mine.update(id, (current) => ({ next: { ...current, name: 'later' } })),
      ]);
      assert.equal(await mine.get(id), undefined);
    }
  }),
];

export const uniqueness: readonly Check[] = [
  check(
    'of 50 concurrent inserts of one value exactly one is stored, with its event',
    async ({ store, institution, mine, elsewhere }) => {
      const handles = [mine, await elsewhere()];
      const email = `${createId()}@example.org`;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) =>
          (handles[i % 2] ?? mine).insert(createThing({ email }), {
            events: [{ type: 'thing.created', data: { email } }],
          }),
        ),
      );
      const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      assert.equal(refused.length, 49);
      for (const reason of refused)
        assert.ok(reason instanceof UniqueViolation && reason.index === 'email', String(reason));
      assert.equal(await mine.count({ email }), 1);
      const events = (await store.outbox.pending(100_000)).filter((one) => one.institution === institution);
      assert.equal(events.length, 1, 'one event for the stored one');
    },
  ),
  check('a unique index across institutions holds for the installation', async ({ store }) => {
    const barcode = createId('bar');
    await getThings(store).of(createId('inst')).insert(createThing({ barcode }));
    await requireUniqueViolation(getThings(store).of(createId('inst')).insert(createThing({ barcode })), 'barcode');
  }),
  check(
    'documents inserted in order end before the first whose id or unique index is taken',
    async ({ store, another, institution, mine }) => {
      const show = createId('show');
      const rows = (of: Store, from: number) =>
        getThings(of)
          .of(institution)
          .insertInOrder(Array.from({ length: 60 }, (_, index) => createThing({ show, seat: `${from + index}` })));
      await mine.insertInOrder([]);
      await rows(store, 1);
      await requireUniqueViolation(rows(store, 60), 'seat');
      await requireUniqueViolation(
        mine.insertInOrder([createThing({ id: createId(), show, seat: '61' }), createThing({ show, seat: '1' })]),
        'seat',
      );
      assert.ok((await mine.count({ show })) <= 61, 'none after the taken one');
      const [known] = await mine.find({ where: { show, seat: '1' } });
      await requireUniqueViolation(mine.insertInOrder([createThing({ id: String(known?.id) })]), 'id');

      // Whoever wins each turn, the rows are those of 1 to n without a gap.
      const other = await another();
      for (let turn = 0; turn < 5; turn += 1) {
        const next = (await mine.count({ show })) + 1;
        const both = await Promise.allSettled([rows(store, next), rows(other, next)]);
        assert.equal(both.filter((one) => one.status === 'fulfilled').length, 1, 'one of both wins');
        const seats = (await mine.find({ where: { show } })).map(({ seat }) => Number(seat));
        assert.equal(seats.length, Math.max(...seats), 'no gap');
      }
    },
  ),
  check('null and absent values never collide, also in an index of several fields', async ({ mine }) => {
    const show = createId('show');
    for (const email of [null, null, undefined, undefined])
      await mine.insert(createThing({ email, show, barcode: email }));
    await mine.insert(createThing({ show, seat: 'A1' }));
    await requireUniqueViolation(mine.insert(createThing({ show, seat: 'A1' })), 'seat');
    await mine.insert(createThing({ show: null, seat: 'A1' }));
    await mine.insert(createThing({ seat: 'A1' }));
    assert.equal(await mine.count(), 7);
  }),
  check('an update and a claim into a taken value are refused and change nothing', async ({ mine }) => {
    await mine.insert(createThing({ email: 'taken@example.org' }));
    const free = await mine.insert(createThing({ email: 'free@example.org' }));
    const move = { email: 'taken@example.org' };
    await requireUniqueViolation(
      mine.update(free.id, (current) => ({ next: { ...current, ...move } })),
      'email',
    );
    await requireUniqueViolation(mine.claim({ where: { id: free.id }, set: move }), 'email');
    assert.deepEqual(await mine.get(free.id), free);
  }),
];
