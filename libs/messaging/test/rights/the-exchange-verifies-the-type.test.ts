import { probe, silent, waitUntil } from '@boxoffice/messaging/conformance';
import { expect } from '@jest/globals';
import type { Options } from 'amqplib';
import { type Logger, type Message, requireQueue } from '../../src/index.ts';
import { nameExchange, nameWorkQueue, type Plan } from '../../src/rabbitmq/names.ts';
import { describeWithBroker, runOnChannel } from '../rabbitmq/broker.ts';

// The broker's permissions are for exchanges. So the type in a body counts only if its exchange and its routing key
// match it.

const queue = requireQueue('catalog.releases.v1');
const declared = { queues: [queue], untaken: [] };

/** Publishes any body under any key, as a user with permission for the exchange can. */
const publishAs = (url: string, plan: Plan, as: string, message: Message, properties: Options.Publish = {}) =>
  runOnChannel(url, async (channel) => {
    const body = Buffer.from(JSON.stringify(message));
    channel.publish(nameExchange(as, plan), as, body, { messageId: message.id, type: message.type, ...properties });
    await channel.waitForConfirms();
  });

/** The headers with which a consumer would move a genuine cancellation. */
const pretended = (plan: Plan) => ({
  'origin-exchange': nameExchange('order.cancelled', plan),
  'origin-key': 'order.cancelled',
  'x-death': [
    {
      count: 1,
      exchange: nameExchange('order.cancelled', plan),
      queue: nameWorkQueue(queue.name, plan),
      reason: 'delivery_limit',
      'routing-keys': ['order.cancelled'],
    },
  ],
});

describeWithBroker('the type of a fact on RabbitMQ is verified by its exchange', (url, test) => {
  for (const [what, as, type] of [
    ['another exchange', 'tickets.cancelled', 'order.cancelled'],
    ['another routing key of its exchange', 'order.expired', 'order.cancelled'],
  ] as const)
    test(
      `a fact that came by ${what} than its type’s is a dead letter without effect, and is logged`,
      async ({ start, plan }) => {
        const logged: unknown[] = [];
        const logger: Logger = { ...silent, error: (_text, about) => void logged.push(about) };
        const { bus } = await start({ logger });
        const acted: string[] = [];
        await bus.subscribe(queue, async ({ id }) => void acted.push(id));
        const [forged, pretending, honest] = [probe({ type }), probe({ type }), probe({ type })];
        await publishAs(url, plan, as, forged);
        await publishAs(url, plan, as, pretending, { headers: pretended(plan) });
        await bus.publish(honest);
        const letters = async () => (await bus.deadLetters.list()).map(({ message }) => message.id).sort();
        const both = [forged.id, pretending.id].sort();
        await waitUntil('two dead letters', async () => (await letters()).length === 2);
        expect(await letters()).toEqual(both);
        for (const { reason } of await bus.deadLetters.list()) expect(reason).toMatch(/^Unreadable: .* came by /);
        expect(logged).toHaveLength(2);
        // A replay verifies them by their first publication.
        for (const id of both) expect(await bus.deadLetters.replay(`${queue.name}:${id}`)).toBe(true);
        await waitUntil('both again', async () => logged.length === 4 && (await letters()).length === 2);
        await waitUntil('the honest one', () => acted.length > 0);
        expect(acted).toEqual([honest.id]);
      },
      { declared },
    );

  test(
    'a replayed fact that killed its consumers is verified by its exchange, not by its headers',
    async ({ start, plan }) => {
      const { bus } = await start();
      const forged = probe({ type: 'order.cancelled' });
      const honest = probe({ type: 'order.cancelled' });
      await publishAs(url, plan, 'tickets.cancelled', forged, { headers: pretended(plan) });
      await bus.publish(honest);
      const letters = async () => (await bus.deadLetters.list()).map(({ message }) => message.id);
      await runOnChannel(url, async (channel) => {
        const crash = async () => {
          const one = await channel.get(nameWorkQueue(queue.name, plan));
          if (one) channel.nack(one, false, true);
          return (await letters()).length === 2;
        };
        await waitUntil('two dead letters of the broker', crash);
      });
      for (const id of await letters()) expect(await bus.deadLetters.replay(`${queue.name}:${id}`)).toBe(true);
      const acted: string[] = [];
      await bus.subscribe(queue, async ({ id }) => void acted.push(id));
      await waitUntil('one dead again', async () => (await letters()).includes(forged.id));
      await waitUntil('the honest one', () => acted.length > 0);
      expect(acted).toEqual([honest.id]);
    },
    { declared },
  );

  test(
    'a fact keeps its origin through retries, replays and the broker’s delivery limit',
    async ({ start, plan }) => {
      const { bus } = await start();
      const message = probe({ type: 'order.cancelled' });
      const attempts: number[] = [];
      const failing = await bus.subscribe(queue, async (_message, attempt) => {
        attempts.push(attempt);
        throw new Error('planted');
      });
      await bus.publish(message);
      const letters = async () => (await bus.deadLetters.list()).map(({ reason }) => reason);
      const id = `${queue.name}:${message.id}`;
      await waitUntil('its death', async () => (await letters()).length === 1);
      expect(attempts).toEqual([1, 2, 3, 4, 5]);
      await bus.deadLetters.replay(id);
      await waitUntil('its second death', async () => attempts.length === 10 && (await letters()).length === 1);
      expect(await letters()).toEqual(['Error: planted']);
      await failing.close();
      await bus.deadLetters.replay(id);
      await runOnChannel(url, async (channel) => {
        const crash = async () => {
          const one = await channel.get(nameWorkQueue(queue.name, plan));
          if (one) channel.nack(one, false, true);
          return (await letters()).includes('delivery_limit');
        };
        await waitUntil('the broker’s dead letter', crash);
      });
      await bus.deadLetters.replay(id);
      const handled: Message[] = [];
      await bus.subscribe(queue, async (one) => void handled.push(one));
      await waitUntil('its handling', () => handled.length === 1);
      expect(handled).toEqual([message]);
    },
    { declared },
  );
});
