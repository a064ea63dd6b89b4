import assert from 'node:assert/strict';
import type { Attempt, RememberedAnswer, Store } from '../port.ts';
import { attemptOf, type Check, fresh, type Subject, suiteCollections, until } from './subject.ts';

const later = () => Date.now() + 3_600_000;
const answer: RememberedAnswer = { status: 409, headers: { 'x-a': 'b' }, body: { status: 'conflict', data: null } };

/**
 * Takes the key as soon as it is free. An unrenewed lock expires within 10 s; the limit allows ten times that for slow
 * machines.
 */
const freed = async ({ store: { idempotency: keys } }: Pick<Subject, 'store'>, key: string): Promise<Attempt> => {
  let attempt: Attempt | undefined;
  await until(async () => {
    const found = await keys.begin(key, 'print', later());
    if (found.state === 'fresh') attempt = found.attempt;
    return attempt !== undefined;
  }, 100_000);
  assert.ok(attempt);
  return attempt;
};

/** Stores the answer of a request with an unused key. */
const remembered = async (store: Store, key: string, given = answer, expiresAt = later()) =>
  assert.equal(await store.idempotency.remember(await attemptOf(store, key, expiresAt), given), true);

/** Releases the lock of a request whose key must be free. */
const free = async (store: Store, key: string) => store.idempotency.end(await attemptOf(store, key));

/** Two attempts with one key: the first has expired, and the second holds the key. */
const overtaken = async (
  { engine }: Pick<Subject, 'engine'>,
  check: (store: Store, first: Attempt, second: Attempt) => Promise<void>,
) => {
  const store = await engine.open(suiteCollections, { requestMs: 50 });
  try {
    const key = fresh('key');
    const first = await attemptOf(store, key);
    await check(store, first, await freed({ store }, key));
  } finally {
    await store.close();
  }
};

/** The state of the key, read through the attempts' store; its locks expire soon, so `running` is checked at once. */
const stateOf = async (store: Store, { key }: Attempt) => (await store.idempotency.begin(key, 'print', later())).state;

/** A `remember` that fails, as with a full disk or a stalled database, releases the lock of its request. */
export const aFailedRememberReleasesTheLock = async (subject: Pick<Subject, 'store'>): Promise<void> => {
  const { idempotency: keys } = subject.store;
  const key = fresh('key');
  const attempt = await attemptOf(subject.store, key);
  // JSON has no BigInt, so both engines fail to write it.
  await assert.rejects(keys.remember(attempt, { ...answer, body: 1n }));
  await keys.end(await freed(subject, key));
};

/** Locks of running requests, and answers stored without a write. */
export const idempotency: readonly Check[] = [
  {
    rule: 'a key is fresh once, then running until its request ends',
    async run({ store }) {
      const { idempotency: keys } = store;
      const key = fresh('key');
      const attempt = await attemptOf(store, key);
      assert.deepEqual(await keys.begin(key, 'second', later()), { state: 'running', fingerprint: 'print' });
      await keys.end(attempt);
      await free(store, key);
      await keys.end(attempt);
    },
  },
  {
    rule: 'of 30 concurrent begins one is fresh',
    async run({ store: { idempotency: keys } }) {
      const key = fresh('key');
      const found = await Promise.all(Array.from({ length: 30 }, () => keys.begin(key, 'print', later())));
      const attempts = found.flatMap((one) => (one.state === 'fresh' ? [one.attempt] : []));
      assert.equal(attempts.length, 1);
      assert.equal(found.filter((one) => one.state === 'running').length, 29);
      for (const attempt of attempts) await keys.end(attempt);
    },
  },
  {
    rule: 'trim leaves the given number of answers about a subject, those that expire last, and all others',
    async run({ store }) {
      const { idempotency: keys } = store;
      const [subject, other] = [fresh('subject'), fresh('subject')];
      const remember = async (of: string, expiresAt: number) => {
        const key = fresh('key');
        await remembered(store, key, { ...answer, subjects: [of] }, expiresAt);
        return key;
      };
      const own: string[] = [];
      for (let count = 0; count < 5; count += 1) own.push(await remember(subject, later() + count));
      const foreign = await remember(other, later());
      await keys.trim(subject, 5);
      await keys.trim(subject, 2);
      await keys.trim(fresh('subject'), 0);
      const known = async (key: string) => (await keys.begin(key, 'print', later())).state;
      for (const key of own.slice(0, 3)) await free(store, key);
      for (const key of [...own.slice(3), foreign]) assert.equal(await known(key), 'remembered');
      await keys.trim(subject, 0);
      await free(store, own[4] ?? '');
    },
  },
  {
    rule: 'a remembered answer releases the lock, and the next begin gets it, in every instance',
    async run({ store, another }) {
      const key = fresh('key');
      await remembered(store, key);
      for (const one of [store, await another()]) {
        const found = await one.idempotency.begin(key, 'another', later());
        assert.deepEqual(found, { state: 'remembered', fingerprint: 'print', answer });
      }
    },
  },
  { rule: 'a failed remember releases the lock', run: aFailedRememberReleasesTheLock, timeoutMs: 120_000 },
  {
    rule: 'a lock that is never released expires',
    timeoutMs: 120_000,
    async run({ engine }) {
      const store = await engine.open(suiteCollections, { requestMs: 50 });
      try {
        const key = fresh('key');
        await attemptOf(store, key);
        await freed({ store }, key);
      } finally {
        await store.close();
      }
    },
  },
  {
    rule: 'an expired attempt does not release the key of the attempt that replaced it',
    timeoutMs: 120_000,
    run: (subject) =>
      overtaken(subject, async (store, first, second) => {
        await store.idempotency.end(first);
        assert.equal(await stateOf(store, first), 'running');
        await store.idempotency.end(second);
        await free(store, second.key);
      }),
  },
  {
    rule: 'an expired attempt does not overwrite the attempt that replaced it, and gets false',
    timeoutMs: 120_000,
    run: (subject) =>
      overtaken(subject, async (store, first, second) => {
        const { idempotency: keys } = store;
        assert.equal(await keys.remember(first, { ...answer, status: 422 }), false);
        assert.equal(await stateOf(store, first), 'running');
        assert.equal(await keys.remember(second, answer), true);
        assert.equal(await keys.remember(first, { ...answer, status: 422 }), false);
        await keys.end(first);
        const known = await keys.begin(first.key, 'print', later());
        assert.deepEqual(known, { state: 'remembered', fingerprint: 'print', answer });
      }),
  },
  {
    rule: 'a closed store leaves no lock',
    async run({ engine, store }) {
      const closing = await engine.open(suiteCollections);
      const key = fresh('key');
      await attemptOf(closing, key);
      await closing.close();
      await free(store, key);
    },
  },
  {
    rule: 'the first remembered answer is not replaced',
    async run({ store }) {
      const { idempotency: keys } = store;
      const key = fresh('key');
      const attempt = await attemptOf(store, key);
      assert.equal(await keys.remember(attempt, answer), true);
      assert.equal(await keys.remember(attempt, { ...answer, status: 422 }), false);
      await keys.end(attempt);
      const found = await keys.begin(key, 'print', later());
      assert.ok(found.state === 'remembered' && found.answer.status === 409);
    },
  },
  {
    rule: 'an expired answer is deleted, and the key can be used again',
    async run({ store }) {
      const { idempotency: keys } = store;
      const key = fresh('key');
      await remembered(store, key, { ...answer, subjects: ['someone'] }, Date.now() - 1);
      await remembered(store, key);
      await keys.forget('someone');
      assert.equal((await keys.begin(key, 'print', later())).state, 'remembered');
    },
  },
  {
    rule: 'forget deletes every answer about the subject, and no other',
    async run({ store }) {
      const { idempotency: keys } = store;
      const subject = fresh('person');
      const spoken = [fresh('key'), fresh('key')];
      const silent = fresh('key');
      for (const key of spoken) await remembered(store, key, { ...answer, subjects: [subject] });
      await remembered(store, silent, { ...answer, subjects: [`${subject}x`] });
      await keys.forget(subject);
      for (const key of spoken) await free(store, key);
      assert.equal((await keys.begin(silent, 'print', later())).state, 'remembered');
    },
  },
];
