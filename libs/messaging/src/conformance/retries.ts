import assert from 'node:assert/strict';
import { maxAttempts } from '../attempts.ts';
import { Unreadable } from '../port.ts';
import { type Check, check, first, probe, publishAll, retryDelaysMs } from './subject.ts';

/** Exactly the messages that no attempt can handle become dead letters. */
export const onlyPoisonDies = check(
  'done + dead = published, and only planted poison is dead',
  async ({ bus, until }) => {
    const poison = new Set<string>();
    const done = new Set<string>();
    await bus.subscribe(first, async ({ id, data }, attempt) => {
      const { kind } = data as { kind: string };
      if (kind === 'unreadable') throw new Unreadable('planted');
      if (kind === 'failing' || (kind === 'flaky' && attempt < 3)) throw new Error('planted');
      done.add(id);
    });
    const kinds = ['fine', 'fine', 'flaky', 'fine', 'failing', 'fine', 'unreadable', 'fine', 'fine', 'flaky'];
    const messages = Array.from({ length: 120 }, (_, n) => probe({ data: { kind: kinds[n % kinds.length] } }));
    for (const { id, data } of messages) {
      if (['failing', 'unreadable'].includes((data as { kind: string }).kind)) poison.add(id);
    }
    await publishAll(bus, messages);
    const dead = () => bus.deadLetters.list(first.name);
    await until('done + dead = published', async () => done.size + (await dead()).length === messages.length);
    assert.deepEqual(
      (await dead()).map(({ message }) => message.id).sort(),
      [...poison].sort(),
      'dead letters other than the planted poison',
    );
  },
);

/** Retries of failed messages. */
export const retries: readonly Check[] = [
  check(
    'a handler that fails gets the message again after the delays, with the number of the attempt',
    async ({ bus, until }) => {
      const attempts: { attempt: number; at: number }[] = [];
      await bus.subscribe(first, async (_message, attempt) => {
        attempts.push({ attempt, at: Date.now() });
        if (attempt < maxAttempts) throw new Error('not yet');
      });
      await bus.publish(probe());
      await until('the last attempt', () => attempts.length === maxAttempts);
      assert.deepEqual(
        attempts.map(({ attempt }) => attempt),
        [1, 2, 3, 4, 5],
      );
      const waits = attempts.slice(1).map(({ at }, n) => at - (attempts[n]?.at ?? 0));
      const least = [...retryDelaysMs, retryDelaysMs.at(-1) ?? 0];
      for (const [n, wait] of waits.entries()) {
        assert.ok(wait >= (least[n] ?? 0) - 5, `attempt ${n + 2} came after ${wait} ms instead of ${least[n]}`);
      }
      assert.deepEqual(await bus.deadLetters.list(), []);
    },
  ),
  check('after five failed attempts a message is a dead letter with the reason', async ({ bus, until }) => {
    let attempts = 0;
    await bus.subscribe(first, async () => {
      attempts++;
      throw new Error('it never works');
    });
    const message = probe({ data: { content: ['as', 'it', 'was'] } });
    const before = Date.now();
    await bus.publish(message);
    await until('the dead letter', async () => (await bus.deadLetters.list()).length === 1);
    const [letter] = await bus.deadLetters.list();
    assert.ok(letter);
    assert.equal(attempts, maxAttempts);
    assert.deepEqual(letter.message, message);
    assert.equal(letter.id, `${first.name}:${message.id}`);
    assert.equal(letter.queue, first.name);
    assert.equal(letter.attempts, maxAttempts);
    assert.match(letter.reason, /it never works/);
    assert.ok(Date.parse(letter.deadSince) >= before - 1000 && Date.parse(letter.deadSince) <= Date.now() + 1000);
  }),
  check('a message that its handler cannot read is a dead letter at once', async ({ bus, until }) => {
    let attempts = 0;
    await bus.subscribe(first, async () => {
      attempts++;
      throw new Unreadable('no such member');
    });
    await bus.publish(probe());
    await until('the dead letter', async () => (await bus.deadLetters.list()).length === 1);
    assert.equal(attempts, 1);
    assert.equal((await bus.deadLetters.list())[0]?.attempts, 1);
  }),
  onlyPoisonDies,
];
