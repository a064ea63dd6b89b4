import { first, probe, probes, waitUntil } from '@boxoffice/messaging/conformance';
import { expect, test } from '@jest/globals';
import { connectRabbitmq, declared } from '../../src/index.ts';
import { nameDeadQueue, nameExchange, nameRetryQueue, nameWorkQueue } from '../../src/rabbitmq/names.ts';
import { describeWithBroker, isFulfilled, runOnChannel } from './broker.ts';

const alone = { ...first, singleActiveConsumer: true };

test('queues are named by group, purpose and contract version, once each', () => {
  const names = declared.queues.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+\.[a-z-]+\.v\d+$/);
});

describeWithBroker('the topology on RabbitMQ', (url, test) => {
  test('a single publisher declares every queue, so that a fact waits for a consumer that has not started yet', async ({
    start,
    options,
    plan,
  }) => {
    const publisher = await connectRabbitmq(options);
    const message = probe({ type: 'probe.happened' });
    await publisher.publish(message);
    await publisher.ping();
    await publisher.close();
    for (const { name } of probes.queues) {
      const queued = await runOnChannel(url, (channel) => channel.checkQueue(nameWorkQueue(name, plan)));
      expect(queued.messageCount).toBe(1);
    }
    const { bus } = await start();
    const received: unknown[] = [];
    await bus.subscribe(first, async (one) => void received.push(one));
    await waitUntil('the fact', () => received.length === 1);
    expect(received).toEqual([message]);
  });

  test('queues keep every message: quorum, limited, refusing when full, dead-lettering at least once', async ({
    start,
    plan,
  }) => {
    await start();
    const keeps = (target: string) => ({
      'x-queue-type': 'quorum',
      'x-delivery-limit': 20,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': target,
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
      'x-max-length': 1_000_000,
    });
    const { name } = first;
    await runOnChannel(url, async (channel) => {
      // A declaration with other arguments than the queue's is refused.
      const same = (queue: string, args: object) => channel.assertQueue(queue, { durable: true, arguments: args });
      await same(nameWorkQueue(name, plan), keeps(nameDeadQueue(name, plan)));
      await same(nameRetryQueue(name, 80, plan), { 'x-message-ttl': 80, ...keeps(nameWorkQueue(name, plan)) });
      await same(nameDeadQueue(name, plan), { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000_000 });
      await channel.assertExchange(nameExchange('probe.happened', plan), 'topic', { durable: true });
    });
    expect(nameRetryQueue(name, 5_000, { ...plan, prefix: '' })).toBe(`${name}.retry.5s`);
    expect(nameRetryQueue(name, 300_000, { ...plan, prefix: '' })).toBe(`${name}.retry.5m`);
  });

  test(
    'a queue for a single active consumer is consumed by one process, and by another once that one has ended',
    async ({ start }) => {
      const received: Record<string, string[]> = { one: [], other: [] };
      const [one, other] = [await start(), await start()];
      const stop = await one.bus.subscribe(alone, async ({ id }) => void received.one?.push(id));
      await other.bus.subscribe(alone, async ({ id }) => void received.other?.push(id));
      for (let n = 0; n < 20; n++) await one.bus.publish(probe());
      await waitUntil('the messages of the first', () => received.one?.length === 20);
      await stop.close();
      await other.bus.publish(probe());
      await waitUntil('the message of the other', () => received.other?.length === 1);
      expect([received.one?.length, received.other?.length]).toEqual([20, 1]);
    },
    { declared: { queues: [alone], untaken: [] } },
  );

  test(
    'a full queue refuses more messages, and stores those that it accepted',
    async ({ start }) => {
      const { bus } = await start();
      const taken: string[] = [];
      let refusals = 0;
      // The limit is soft: a few more than ten are accepted.
      for (let n = 0; n < 200 && refusals === 0; n++) {
        const message = probe();
        await bus.publish(message).then(
          () => taken.push(message.id),
          () => refusals++,
        );
      }
      expect(refusals).toBe(1);
      const received: string[] = [];
      await bus.subscribe(first, async ({ id }) => void received.push(id));
      await waitUntil('what was taken', () => received.length >= taken.length);
      expect(received.sort()).toEqual(taken.sort());
      await waitUntil('room again', () => isFulfilled(bus.publish(probe())));
    },
    { maxLength: 10 },
  );

  test(
    'a start fails with the reason if a queue exists with other arguments',
    async ({ start, options }) => {
      await start();
      await expect(connectRabbitmq({ ...options, maxLength: 20 })).rejects.toThrow(
        /PRECONDITION_FAILED - inequivalent arg 'x-max-length'/,
      );
    },
    { maxLength: 10 },
  );
});
