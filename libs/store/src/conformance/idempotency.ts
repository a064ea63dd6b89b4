import assert from 'node:assert/strict';
import type { RememberedAnswer, Store } from '../port.ts';
import { type Check, check, createId } from './subject.ts';

const later = () => Date.now() + 3_600_000;
const answer: RememberedAnswer = { status: 409, headers: { 'x-a': 'b' }, body: { status: 'conflict', data: null } };

const rememberAnswer = async ({ idempotency }: Store, key: string, given = answer, expiresAt = later()) =>
  assert.equal(await idempotency.remember({ key, fingerprint: 'print', expiresAt }, given), undefined);

const isKnown = async ({ idempotency }: Store, key: string) => (await idempotency.find(key)) !== undefined;

export const idempotency: readonly Check[] = [
  check('an answer is found in every instance, with the fingerprint of its request', async ({ store, another }) => {
    const key = createId('key');
    assert.equal(await isKnown(store, key), false);
    await rememberAnswer(store, key);
    for (const one of [store, await another()])
      assert.deepEqual(await one.idempotency.find(key), { fingerprint: 'print', answer });
  }),
  check('the first remembered answer is not replaced: a later one gets it', async ({ store, another }) => {
    const key = createId('key');
    await rememberAnswer(store, key);
    const second = { key, fingerprint: 'second', expiresAt: later() };
    for (const one of [store, await another()]) {
      const first = await one.idempotency.remember(second, { ...answer, status: 422 });
      assert.deepEqual(first, { fingerprint: 'print', answer });
    }
    assert.deepEqual(await store.idempotency.find(key), { fingerprint: 'print', answer });
  }),
  check('of 30 concurrent answers one is stored, and the others get it', async ({ store, another }) => {
    const key = createId('key');
    const stores = [store, await another()];
    const found = await Promise.all(
      Array.from({ length: 30 }, (_, n) => {
        const own = { key, fingerprint: 'print', expiresAt: later() };
        return (stores[n % 2] ?? store).idempotency.remember(own, { ...answer, status: 400 + n });
      }),
    );
    const first = await store.idempotency.find(key);
    assert.equal(found.filter((one) => one === undefined).length, 1);
    assert.equal(found[(first?.answer.status ?? 0) - 400], undefined);
    for (const one of found) assert.deepEqual(one ?? first, first);
  }),
  check('an answer that cannot be stored rejects, and leaves its key free', async ({ store }) => {
    const key = createId('key');
    // JSON has no BigInt, so both engines fail to write it.
    const unwritable = { ...answer, body: 1n };
    await assert.rejects(store.idempotency.remember({ key, fingerprint: 'print', expiresAt: later() }, unwritable));
    await rememberAnswer(store, key);
  }),
  check(
    'trim leaves the given number of answers about a subject, those that expire last, and all others',
    async ({ store }) => {
      const { idempotency: keys } = store;
      const [subject, other] = [createId('subject'), createId('subject')];
      const remember = async (of: string, expiresAt: number) => {
        const key = createId('key');
        await rememberAnswer(store, key, { ...answer, subjects: [of] }, expiresAt);
        return key;
      };
      const own: string[] = [];
      for (let count = 0; count < 5; count += 1) own.push(await remember(subject, later() + count));
      const foreign = await remember(other, later());
      await keys.trim(subject, 5);
      await keys.trim(subject, 2);
      await keys.trim(createId('subject'), 0);
      for (const key of own.slice(0, 3)) assert.equal(await isKnown(store, key), false);
      for (const key of [...own.slice(3), foreign]) assert.equal(await isKnown(store, key), true);
      await keys.trim(subject, 0);
      assert.equal(await isKnown(store, own[4] ?? ''), false);
    },
  ),
  check('an expired answer is not found, and the key can be used again', async ({ store }) => {
    const key = createId('key');
    await rememberAnswer(store, key, { ...answer, subjects: ['someone'] }, Date.now() - 1);
    assert.equal(await isKnown(store, key), false);
    await rememberAnswer(store, key);
    await store.idempotency.forget('someone');
    assert.equal(await isKnown(store, key), true);
  }),
  check('forget deletes every answer about the subject, and no other', async ({ store }) => {
    const subject = createId('person');
    const spoken = [createId('key'), createId('key')];
    const silent = createId('key');
    for (const key of spoken) await rememberAnswer(store, key, { ...answer, subjects: [subject] });
    await rememberAnswer(store, silent, { ...answer, subjects: [`${subject}x`] });
    await store.idempotency.forget(subject);
    for (const key of spoken) assert.equal(await isKnown(store, key), false);
    assert.equal(await isKnown(store, silent), true);
  }),
];
