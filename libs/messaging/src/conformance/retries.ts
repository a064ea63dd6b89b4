import assert from 'node:assert/strict';
import { maxAttempts } from '../attempts.ts';
import { type Bus, type Message, Unreadable } from '../port.ts';
import { type Check, check, first, probe, publishAll, retryDelaysMs, type Scene, second } from './subject.ts';

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

const lettersOf = async (bus: Bus, queue?: string) => (await bus.deadLetters.list(queue)).map(({ id }) => id).sort();

/** Waits until all are dead letters; the handler accepts everything once `mended`. */
const plant = async ({ bus, until }: Scene, count: number) => {
  const state = { mended: false, refused: 0, handled: [] as { message: Message; attempt: number }[] };
  await bus.subscribe(first, async (message, attempt) => {
    if (!state.mended) {
      state.refused++;
      throw new Unreadable('planted');
    }
    state.handled.push({ message, attempt });
  });
  const messages = Array.from({ length: count }, () => probe());
  await publishAll(bus, messages);
  await until('the dead letters', async () => (await lettersOf(bus)).length === count);
  return { state, messages, ids: messages.map(({ id }) => `${first.name}:${id}`) };
};

export const deadLetters: readonly Check[] = [
  check('the depth of a queue counts its own dead letters only', async (scene) => {
    const { bus, until } = scene;
    await plant(scene, 3);
    const depths = async () => bus.depths([first, second]);
    const areSettled = async () => (await depths()).every(({ waiting, retrying }) => waiting + retrying === 0);
    await until('settled queues', areSettled);
    const empty = { waiting: 0, retrying: 0, dead: 0 };
    assert.deepEqual(await depths(), [
      { ...empty, queue: first.name, dead: 3 },
      { ...empty, queue: second.name },
    ]);
  }),
  check('letters are listed for all queues or one, and repeated listings lose none', async (scene) => {
    const { bus, until } = scene;
    const { ids } = await plant(scene, 3);
    await bus.subscribe(second, async () => {
      throw new Unreadable('planted too');
    });
    const both = probe({ type: 'probe.happened' });
    await bus.publish(both);
    const all = [...ids, `${first.name}:${both.id}`, `${second.name}:${both.id}`].sort();
    await until('five letters', async () => (await lettersOf(bus)).length === 5);
    for (let looks = 0; looks < 10; looks++) assert.deepEqual(await lettersOf(bus), all, `look ${looks}`);
    assert.deepEqual(await lettersOf(bus, second.name), [`${second.name}:${both.id}`]);
    assert.deepEqual(await lettersOf(bus, 'probe.unknown.v1'), []);
  }),
  check('a replayed letter goes to its queue as a first attempt, and leaves the list', async (scene) => {
    const { bus, until } = scene;
    const { state, ids, messages } = await plant(scene, 5);
    state.mended = true;
    const [, , third] = ids;
    assert.equal(await bus.deadLetters.replay(third ?? ''), true);
    await until('the replayed message', () => state.handled.length === 1);
    assert.deepEqual(state.handled, [{ message: messages[2], attempt: 1 }]);
    const others = ids.filter((id) => id !== third).sort();
    await until('four letters', async () => (await lettersOf(bus)).length === 4);
    assert.deepEqual(await lettersOf(bus), others);
    assert.equal(await bus.deadLetters.replay(third ?? ''), false, 'its removal');
  }),
  check('a replayed letter that fails again is a dead letter again, once', async (scene) => {
    const { bus, until } = scene;
    const { state, ids } = await plant(scene, 2);
    assert.equal(await bus.deadLetters.replay(ids[0] ?? ''), true);
    await until('another refusal', () => state.refused === 3);
    await until('the letter again', async () => (await lettersOf(bus)).length === 2);
    assert.deepEqual(await lettersOf(bus), [...ids].sort());
  }),
  check('a dropped letter is deleted, and the others stay', async (scene) => {
    const { bus } = scene;
    const { ids } = await plant(scene, 3);
    assert.equal(await bus.deadLetters.drop(ids[1] ?? ''), true);
    assert.deepEqual(await lettersOf(bus), [ids[0] ?? '', ids[2] ?? ''].sort());
    assert.equal(await bus.deadLetters.drop(ids[1] ?? ''), false);
    assert.equal(await bus.deadLetters.drop('no such letter'), false);
  }),
];
