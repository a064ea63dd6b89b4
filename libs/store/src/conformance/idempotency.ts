import assert from 'node:assert/strict';
import type { RememberedAnswer } from '../port.ts';
import { type Check, fresh, type Subject, suiteCollections, until } from './subject.ts';

const later = () => Date.now() + 3_600_000;
const answer: RememberedAnswer = { status: 409, headers: { 'x-a': 'b' }, body: { status: 'conflict', data: null } };

/** Resolves once a request may take the key; a mark that nobody renews is void within 10 s, and a slow machine may take ten times that. */
const freed = ({ store: { idempotency: keys } }: Pick<Subject, 'store'>, key: string) =>
  until(async () => (await keys.begin(key, 'print', later())).state === 'fresh', 100_000);

/** A remember that fails, as with a full disk or a stalled database, ends the mark of its request. */
export const aFailedRememberEndsTheMark = async (subject: Pick<Subject, 'store'>): Promise<void> => {
  const { idempotency: keys } = subject.store;
  const key = fresh('key');
  await keys.begin(key, 'print', later());
  // JSON knows no such number, so that neither engine can write it.
  await assert.rejects(keys.remember(key, 'print', later(), { ...answer, body: 1n }));
  await freed(subject, key);
  await keys.end(key);
};

/** Marks of running requests and answers that no write carried. */
export const idempotency: readonly Check[] = [
  {
    rule: 'a key is fresh once, then running until its request ends',
    async run({ store: { idempotency: keys } }) {
      const key = fresh('key');
      assert.deepEqual(await keys.begin(key, 'first', later()), { state: 'fresh' });
      assert.deepEqual(await keys.begin(key, 'second', later()), { state: 'running', fingerprint: 'first' });
      await keys.end(key);
      assert.deepEqual(await keys.begin(key, 'second', later()), { state: 'fresh' });
      await keys.end(key);
      await keys.end(key);
    },
  },
  {
    rule: 'of 30 concurrent begins one is fresh',
    async run({ store: { idempotency: keys } }) {
      const key = fresh('key');
      const begun = await Promise.all(Array.from({ length: 30 }, () => keys.begin(key, 'print', later())));
      assert.equal(begun.filter((one) => one.state === 'fresh').length, 1);
      assert.equal(begun.filter((one) => one.state === 'running').length, 29);
      await keys.end(key);
    },
  },
  {
    rule: 'trim keeps so many answers of a subject, those that end last, and all of others',
    async run({ store: { idempotency: keys } }) {
      const [subject, other] = [fresh('subject'), fresh('subject')];
      const remember = async (of: string, expiresAt: number) => {
        const key = fresh('key');
        await keys.begin(key, 'print', expiresAt);
        await keys.remember(key, 'print', expiresAt, { ...answer, subjects: [of] });
        return key;
      };
      const own: string[] = [];
      for (let count = 0; count < 5; count += 1) own.push(await remember(subject, later() + count));
      const foreign = await remember(other, later());
      await keys.trim(subject, 5);
      await keys.trim(subject, 2);
      await keys.trim(fresh('subject'), 0);
      const states: string[] = [];
      for (const key of [...own, foreign]) states.push((await keys.begin(key, 'print', later())).state);
      const kept = ['remembered', 'remembered', 'remembered'];
      assert.deepEqual(states, ['fresh', 'fresh', 'fresh', ...kept]);
      for (const key of own.slice(0, 3)) await keys.end(key);
      await keys.trim(subject, 0);
      assert.equal((await keys.begin(own[4] ?? '', 'print', later())).state, 'fresh');
      await keys.end(own[4] ?? '');
    },
  },
  {
    rule: 'a remembered answer ends the mark and is what the next begin gets, in every instance',
    async run({ store, another }) {
      const key = fresh('key');
      await store.idempotency.begin(key, 'print', later());
      await store.idempotency.remember(key, 'print', later(), answer);
      for (const one of [store, await another()]) {
        const begun = await one.idempotency.begin(key, 'another', later());
        assert.deepEqual(begun, { state: 'remembered', fingerprint: 'print', answer });
      }
    },
  },
  { rule: 'a remember that fails ends the mark', run: aFailedRememberEndsTheMark, timeoutMs: 120_000 },
  {
    rule: 'a mark ends some time after its request should have, although nobody ends it',
    timeoutMs: 120_000,
    async run({ engine }) {
      const store = await engine.open(suiteCollections, { requestMs: 50 });
      try {
        const key = fresh('key');
        assert.equal((await store.idempotency.begin(key, 'print', later())).state, 'fresh');
        await freed({ store }, key);
      } finally {
        await store.close();
      }
    },
  },
  {
    rule: 'a store that is closed leaves no mark',
    async run({ engine, store }) {
      const closing = await engine.open(suiteCollections);
      const key = fresh('key');
      assert.equal((await closing.idempotency.begin(key, 'print', later())).state, 'fresh');
      await closing.close();
      assert.equal((await store.idempotency.begin(key, 'print', later())).state, 'fresh');
      await store.idempotency.end(key);
    },
  },
  {
    rule: 'the first remembered answer stays',
    async run({ store: { idempotency: keys } }) {
      const key = fresh('key');
      await keys.remember(key, 'print', later(), answer);
      await keys.remember(key, 'print', later(), { ...answer, status: 422 });
      const begun = await keys.begin(key, 'print', later());
      assert.ok(begun.state === 'remembered' && begun.answer.status === 409);
    },
  },
  {
    rule: 'an expired answer is forgotten, and the key can be used again',
    async run({ store: { idempotency: keys } }) {
      const key = fresh('key');
      await keys.remember(key, 'print', Date.now() - 1, { ...answer, subjects: ['someone'] });
      assert.deepEqual(await keys.begin(key, 'print', later()), { state: 'fresh' });
      await keys.remember(key, 'print', later(), answer);
      await keys.forget('someone');
      assert.equal((await keys.begin(key, 'print', later())).state, 'remembered');
    },
  },
  {
    rule: 'forget drops every answer that speaks of the subject, and no other',
    async run({ store: { idempotency: keys } }) {
      const subject = fresh('person');
      const spoken = [fresh('key'), fresh('key')];
      const silent = fresh('key');
      for (const key of spoken) await keys.remember(key, 'print', later(), { ...answer, subjects: [subject] });
      await keys.remember(silent, 'print', later(), { ...answer, subjects: [`${subject}x`] });
      await keys.forget(subject);
      for (const key of spoken) assert.deepEqual(await keys.begin(key, 'print', later()), { state: 'fresh' });
      assert.equal((await keys.begin(silent, 'print', later())).state, 'remembered');
      for (const key of spoken) await keys.end(key);
    },
  },
];
