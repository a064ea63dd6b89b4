import assert from 'node:assert/strict';
import type { Message } from '../port.ts';
import { announced, type Check, check, first, probe } from './subject.ts';

/** Broadcasts: facts delivered to every process. */
export const broadcasts: readonly Check[] = [
  check(
    'every listening process receives a broadcast once, and none after it stopped listening',
    async ({ start, bus, until }) => {
      const received: Message[][] = [[], []];
      const subscriptions = [];
      for (const [index, one] of [bus, (await start()).bus].entries()) {
        subscriptions.push(await one.listen({ types: [announced] }, (message) => void received[index]?.push(message)));
      }
      const one = probe({ type: announced, data: { client: 'c1' } });
      await bus.publish(one);
      await until('both to receive it', () => received.every((own) => own.length === 1));
      assert.deepEqual(received, [[one], [one]]);
      await subscriptions[1]?.close();
      await bus.publish(probe({ type: announced }));
      await until('the other to receive the next', () => received[0]?.length === 2);
      assert.equal(received[1]?.length, 1);
    },
  ),
  check(
    'a broadcast without listeners is published all the same, and a listener that throws receives the next one',
    async ({ bus, until }) => {
      await bus.publish(probe({ type: announced }));
      let received = 0;
      await bus.listen({ types: [announced] }, () => {
        received++;
        throw new Error('listener');
      });
      await bus.publish(probe({ type: announced }));
      await bus.publish(probe({ type: announced }));
      await until('both', () => received === 2);
    },
  ),
  check('a broadcast reaches no queue, and a queue’s message no listener', async ({ bus, until }) => {
    const received: string[] = [];
    await bus.subscribe(first, async ({ type }) => void received.push(`queue ${type}`));
    await bus.listen({ types: [announced] }, ({ type }) => void received.push(`listener ${type}`));
    await bus.publish(probe({ type: announced }));
    await bus.publish(probe({ type: 'probe.repeated' }));
    await until('both', () => received.length === 2);
    assert.deepEqual(received.sort(), [`listener ${announced}`, 'queue probe.repeated']);
  }),
];
