import assert from 'node:assert/strict';
import type { Message } from '../port.ts';
import { type Check, first, probe, publishAll, rejection, second, until } from './subject.ts';

/** Delivery and routing. */
export const delivery: readonly Check[] = [
  {
    rule: 'a message arrives as it was published, as its first attempt',
    async run(subject) {
      const { bus } = await subject.start();
      const received: [Message, number][] = [];
      await bus.subscribe(first, async (message, attempt) => void received.push([message, attempt]));
      const traced = probe({
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        data: { name: 'Zoë ✓', list: [1, null, { deep: true }] },
      });
      const plain = probe();
      await publishAll(bus, [traced, plain]);
      await until('both messages', () => received.length === 2, subject);
      received.sort(([a], [b]) => a.version - b.version);
      assert.deepEqual(received, [
        [traced, 1],
        [plain, 1],
      ]);
    },
  },
  {
    rule: 'every queue gets its own copy of messages of its types, and no others',
    async run(subject) {
      const { bus } = await subject.start();
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
      await until('three deliveries', () => received.length === 3, subject);
      const ids = (queue: string) => received.filter((each) => each.queue === queue).map(({ message }) => message.id);
      assert.deepEqual(ids(first.name).sort(), [both.id, one.id].sort());
      assert.deepEqual(ids(second.name), [both.id]);
      assert.deepEqual(both.data, {}, 'a handler reached the publisher’s object');
    },
  },
  {
    rule: 'a fact that is not in the topology cannot be published, and does not affect others',
    async run(subject) {
      const { bus } = await subject.start();
      let received = 0;
      await bus.subscribe(first, async () => void received++);
      const published = publishAll(
        bus,
        Array.from({ length: 20 }, () => probe()),
      );
      const errors = await Promise.all(
        ['probe.nowhere', 'nowhere.at-all', 'probe.nowhere'].map((type) => rejection(bus.publish(probe({ type })))),
      );
      assert.deepEqual(
        errors.map((error) => (error as Error).name),
        ['Unroutable', 'Unroutable', 'Unroutable'],
      );
      await published;
      await until('the routable messages', () => received === 20, subject);
    },
  },
  {
    rule: 'the instances of a group share its queue: each message goes to one of them',
    async run(subject) {
      const received: string[][] = [[], []];
      const bothBusy = subject.gate();
      const processes = [await subject.start(), await subject.start()];
      for (const [index, { bus }] of processes.entries()) {
        await bus.subscribe(first, async ({ id }) => {
          received[index]?.push(id);
          if (received.every((own) => own.length > 0)) bothBusy.open();
          await bothBusy.passed;
        });
      }
      const messages = Array.from({ length: 40 }, () => probe());
      const publishing = publishAll((processes[0] as (typeof processes)[0]).bus, messages);
      await until('all messages', () => received.flat().length >= messages.length, subject);
      await publishing;
      assert.deepEqual(received.flat().sort(), messages.map(({ id }) => id).sort());
    },
  },
];
