import assert from 'node:assert/strict';
import type { Message } from '../port.ts';
import { type Check, check, first, probe, publishAll, second } from './subject.ts';

/** Delivery and routing. */
export const delivery: readonly Check[] = [
  check('a message arrives as it was published, as its first attempt', async ({ bus, until }) => {
    const received: [Message, number][] = [];
    await bus.subscribe(first, async (message, attempt) => void received.push([message, attempt]));
    const traced = probe({
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      data: { name: 'Zoë ✓', list: [1, null, { deep: true }] },
    });
    const plain = probe();
    await publishAll(bus, [traced, plain]);
    await until('both messages', () => received.length === 2);
    received.sort(([a], [b]) => a.version - b.version);
    assert.deepEqual(received, [
      [traced, 1],
      [plain, 1],
    ]);
  }),
  check('every queue gets its own copy of messages of its types, and no others', async ({ bus, until }) => {
    const received: { queue: string; message: Message }[] = [];
    for (const queue of [first, second]) {
      await bus.subscribe(queue, async (message) => {
        received.push({ queue: queue.name, message });
        Object.assign(message.data, { touched: true });
      });
    }
    const both = probe({ type: 'probe.happened' });
    const one = probe({ type: 'probe.repeated' });
    await publishAll(bus, [both, one]);
    await until('three deliveries', () => received.length === 3);
    const ids = (queue: string) => received.filter((each) => each.queue === queue).map(({ message }) => message.id);
    assert.deepEqual(ids(first.name).sort(), [both.id, one.id].sort());
    assert.deepEqual(ids(second.name), [both.id]);
    assert.deepEqual(both.data, {}, 'a handler reached the publisher’s object');
  }),
  check(
    'a fact that is not in the topology cannot be published, and does not affect others',
    async ({ bus, until }) => {
      let received = 0;
      await bus.subscribe(first, async () => void received++);
      const published = publishAll(
        bus,
        Array.from({ length: 20 }, () => probe()),
      );
      await Promise.all(
        ['probe.nowhere', 'nowhere.at-all', 'probe.nowhere'].map((type) =>
          assert.rejects(bus.publish(probe({ type })), { name: 'Unroutable' }),
        ),
      );
      await published;
      await until('the routable messages', () => received === 20);
    },
  ),
  check(
    'the instances of a group share its queue: each message goes to one of them',
    async ({ start, bus, until, makeGate }) => {
      const received: string[][] = [[], []];
      const bothBusy = makeGate();
      for (const [index, one] of [bus, (await start()).bus].entries()) {
        await one.subscribe(first, async ({ id }) => {
          received[index]?.push(id);
          if (received.every((own) => own.length > 0)) bothBusy.open();
          await bothBusy.passed;
        });
      }
      const messages = Array.from({ length: 40 }, () => probe());
      const publishing = publishAll(bus, messages);
      await until('all messages', () => received.flat().length >= messages.length);
      await publishing;
      assert.deepEqual(received.flat().sort(), messages.map(({ id }) => id).sort());
    },
  ),
];
