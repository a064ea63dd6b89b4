import assert from 'node:assert/strict';
import type { Message } from '../port.ts';
import { announced, type Check, first, probe, until } from './subject.ts';

/** Broadcasts: facts delivered to every process. */
export const broadcasts: readonly Check[] = [
  {
    rule: 'every listening process receives a broadcast once, and none after it stopped listening',
    async run(subject) {
      const received: Message[][] = [[], []];
      const processes = [await subject.start(), await subject.start()];
      const [publisher] = processes;
      assert.ok(publisher);
      const subscriptions = [];
      for (const [index, { bus }] of processes.entries()) {
        subscriptions.push(await bus.listen({ types: [announced] }, (message) => void received[index]?.push(message)));
      }
      const one = probe({ type: announced, data: { client: 'c1' } });
      await publisher.bus.publish(one);
      await until('both to receive it', () => received.every((own) => own.length === 1), subject);
      assert.deepEqual(received, [[one], [one]]);
      await subscriptions[1]?.close();
      await publisher.bus.publish(probe({ type: announced }));
      await until('the other to receive the next', () => received[0]?.length === 2, subject);
      assert.equal(received[1]?.length, 1);
    },
  },
  {
    rule: 'a broadcast without listeners is published all the same, and a listener that throws receives the next one',
    async run(subject) {
      const { bus } = await subject.start();
      await bus.publish(probe({ type: announced }));
      let received = 0;
      await bus.listen({ types: [announced] }, () => {
        received++;
        throw new Error('listener');
      });
      await bus.publish(probe({ type: announced }));
      await bus.publish(probe({ type: announced }));
      await until('both', () => received === 2, subject);
    },
  },
  {
    rule: 'a broadcast reaches no queue, and a queue’s message no listener',
    async run(subject) {
      const { bus } = await subject.start();
      const received: string[] = [];
      await bus.subscribe(first, async ({ type }) => void received.push(`queue ${type}`));
      await bus.listen({ types: [announced] }, ({ type }) => void received.push(`listener ${type}`));
      await bus.publish(probe({ type: announced }));
      await bus.publish(probe({ type: 'probe.repeated' }));
      await until('both', () => received.length === 2, subject);
      assert.deepEqual(received.sort(), [`listener ${announced}`, 'queue probe.repeated']);
    },
  },
];
