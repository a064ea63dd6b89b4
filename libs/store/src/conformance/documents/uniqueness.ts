import assert from 'node:assert/strict';
import { UniqueViolation } from '../../errors.ts';
import type { Store } from '../../port.ts';
import { type Check, check, fresh, thing, thingsOf, violates } from '../subject.ts';

/** Unique indexes. */
export const uniqueness: readonly Check[] = [
  check(
    'of 50 concurrent inserts of one value exactly one is stored, with its event',
    async ({ store, institution, mine, elsewhere }) => {
      const handles = [mine, await elsewhere()];
      const email = `${fresh()}@example.org`;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) =>
          (handles[i % 2] ?? mine).insert(thing({ email }), { events: [{ type: 'thing.created', data: { email } }] }),
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
    const barcode = fresh('bar');
    await thingsOf(store).of(fresh('inst')).insert(thing({ barcode }));
    await violates(thingsOf(store).of(fresh('inst')).insert(thing({ barcode })), 'barcode');
  }),
  check(
    'documents inserted in order end before the first whose id or unique index is taken',
    async ({ store, another, institution, mine }) => {
      const show = fresh('show');
      const rows = (of: Store, from: number) =>
        thingsOf(of)
          .of(institution)
          .insertInOrder(Array.from({ length: 60 }, (_, index) => thing({ show, seat: `${from + index}` })));
      await mine.insertInOrder([]);
      await rows(store, 1);
      await violates(rows(store, 60), 'seat');
      await violates(
        mine.insertInOrder([thing({ id: fresh(), show, seat: '61' }), thing({ show, seat: '1' })]),
        'seat',
      );
      assert.ok((await mine.count({ show })) <= 61, 'none after the taken one');
      const [known] = await mine.find({ where: { show, seat: '1' } });
      await violates(mine.insertInOrder([thing({ id: String(known?.id) })]), 'id');

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
    const show = fresh('show');
    for (const email of [null, null, undefined, undefined]) await mine.insert(thing({ email, show, barcode: email }));
    await mine.insert(thing({ show, seat: 'A1' }));
    await violates(mine.insert(thing({ show, seat: 'A1' })), 'seat');
    await mine.insert(thing({ show: null, seat: 'A1' }));
    await mine.insert(thing({ seat: 'A1' }));
    assert.equal(await mine.count(), 7);
  }),
  check('an update and a claim into a taken value are refused and change nothing', async ({ mine }) => {
    await mine.insert(thing({ email: 'taken@example.org' }));
    const free = await mine.insert(thing({ email: 'free@example.org' }));
    const move = { email: 'taken@example.org' };
    await violates(
      mine.update(free.id, (current) => ({ next: { ...current, ...move } })),
      'email',
    );
    await violates(mine.claim({ where: { id: free.id }, set: move }), 'email');
    assert.deepEqual(await mine.get(free.id), free);
  }),
];
