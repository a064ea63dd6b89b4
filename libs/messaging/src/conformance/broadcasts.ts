import assert from 'node:assert/strict';
import type { Message } from '../port.ts';
import { announced, type Check, first, probe, until } from './subject.ts';

/** Broadcasts: facts delivered to every process. */
export const broadcasts: readonly Check[] = [
  {
    rule: 'every listening process hears a broadcast once, and none after it stopped listening',
    async run(subject) {
      const heard: Message[][] = [[], []];
      const processes = [await subject.start(), await subject.start()];
      const [publisher] = processes;
      assert.ok(publisher);
      const subscriptions = [];
      for (const [index, { bus }] of processes.entries()) {
        subscriptions.push(await bus.listen({ types: [announced] }, (message) => void heard[index]?.push(message)));
      }
      const one = probe({ type: announced, data: { client: 'c1' } });
      await publisher.bus.publish(one);
      await until('both to hear it', () => heard.every((own) => own.length === 1), subject);
      assert.deepEqual(heard, [[one], [one]]);
      await subscriptions[1]?.close();
      await publisher.bus.publish(probe({ type: announced }));
      await until('the other to hear the next', () => heard[0]?.length === 2, subject);
      assert.equal(heard[1]?.length, 1);
    },
  },
  {
    rule: 'a broadcast that nobody hears is published all the same, and a listener that throws hears the next one',
    async run(subject) {
      const { bus } = await subject.start();
      await bus.publish(probe({ type: announced }));
      let heard = 0;
      await bus.listen({ types: [announced] }, () => {
        heard++;
        throw new Error('listener');
      });
      await bus.publish(probe({ type: announced }));
      await bus.publish(probe({ type: announced }));
      await until('both', () => heard === 2, subject);
    },
  },
  {
    rule: 'a broadcast reaches no queue, and a queue’s message no listener',
    async run(subject) {
      const { bus } = await subject.start();
      const heard: string[] = [];
      await bus.subscribe(first, async ({ type }) => void heard.push(`queue ${type}`));
      await bus.listen({ types: [announced] }, ({ type }) => void heard.push(`listener ${type}`));
      await bus.publish(probe({ type: announced }));
      await bus.publish(probe({ type: 'probe.repeated' }));
      await until('both', () => heard.length === 2, subject);
      assert.deepEqual(heard.sort(), [`listener ${announced}`, 'queue probe.repeated']);
    },
  },
];
