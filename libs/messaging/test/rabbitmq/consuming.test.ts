import { createLedger, first, probe, publishAll, silent, waitUntil } from '@boxoffice/messaging/conformance';
import { expect } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';
import { consume } from '../../src/rabbitmq/consumer.ts';
import { type Link, openLink } from '../../src/rabbitmq/link.ts';
import { nameDeadQueue, nameWorkQueue } from '../../src/rabbitmq/names.ts';
import { createSender } from '../../src/rabbitmq/publisher.ts';
import { createTopology } from '../../src/rabbitmq/topology.ts';
import { describeWithBroker, isFulfilled, runOnChannel } from './broker.ts';

/** A link that exposes the channels of its stations. */
const watched = (link: Link, channels: ConfirmChannel[]): Link => ({
  ...link,
  attach: (station, waitMs) => {
    const { open } = station;
    station.open = async (channel) => {
      channels.push(channel);
      await open(channel);
    };
    return link.attach(station, waitMs);
  },
});

describeWithBroker('consuming from RabbitMQ', (url, test) => {
  test('a channel that the broker closes is reopened with its consumer; no message is lost or in hand twice at once', async ({
    plan,
  }) => {
    const link = await openLink({ url, name: 'test', logger: silent });
    await link.waitUntilEstablished(60_000);
    const topology = createTopology(plan, silent)(link);
    const sender = createSender({ link, plan, topology, confirmTimeoutMs: 60_000 });
    await link.attach(sender.station, 60_000);
    const channels: ConfirmChannel[] = [];
    const inHand = new Set<string>();
    const handled: string[] = [];
    let overlaps = 0;
    const gate = Promise.withResolvers<void>();
    const options = { link: watched(link, channels), sender, plan, topology, logger: silent, waitMs: 60_000 };
    const subscription = await consume(
      first,
      async ({ id, key }) => {
        if (inHand.has(key)) overlaps++;
        inHand.add(key);
        await gate.promise;
        inHand.delete(key);
        handled.push(id);
      },
      options,
    );
    const messages = Array.from({ length: 60 }, (_, n) => probe({ key: `key-${n % 4}` }));
    await Promise.all(messages.map((message) => sender.publish(message)));
    await waitUntil('messages in hand', () => inHand.size === 4);
    // Acknowledging an unknown delivery is an error that closes the channel.
    channels[0]?.ack({ fields: { deliveryTag: 4711 } } as never);
    await waitUntil('another channel', () => channels.length === 2);
    gate.resolve();
    await waitUntil('every message', () => new Set(handled).size === messages.length);
    expect(overlaps).toBe(0);
    // Twice only those that were in hand when the channel closed.
    expect(handled.length).toBeLessThanOrEqual(messages.length + 4);
    await subscription.close();
    const left = await runOnChannel(url, (channel) => channel.checkQueue(nameWorkQueue(first.name, plan)));
    expect(left.messageCount).toBe(0);
    await link.close();
  });

  test('a queue that is deleted under its consumer is declared and consumed again', async ({ start, plan }) => {
    const { bus } = await start();
    const received: string[] = [];
    await bus.subscribe(first, async ({ id }) => void received.push(id));
    await runOnChannel(url, (channel) => channel.deleteQueue(nameWorkQueue(first.name, plan)));
    const message = probe();
    await waitUntil('the queue', () => isFulfilled(bus.publish(message)));
    await waitUntil('the message', () => received.includes(message.id));
  });

  test('repeatedly cut connections lose no message: done + dead = published', async ({ start }) => {
    const publisher = await start();
    const { bus, proxy } = await start();
    const ledger = createLedger();
    let deliveries = 0;
    await bus.subscribe(first, async ({ id, data }, attempt) => {
      deliveries++;
      if (deliveries % 200 === 0) {
        proxy.cut();
        proxy.mend();
      }
      const { kind } = data as { kind: string };
      if (kind === 'flaky' && attempt === 1) throw new Error('planted');
      if (kind === 'poison') throw new Error('planted');
      ledger.write(id, true);
    });
    const kinds = ['fine', 'fine', 'fine', 'flaky', 'fine', 'fine', 'poison', 'fine'];
    const messages = Array.from({ length: 400 }, (_, n) =>
      probe({ key: `key-${n % 50}`, data: { kind: kinds[n % 8] } }),
    );
    await publishAll(publisher.bus, messages);
    const dead = async () => new Set((await publisher.bus.deadLetters.list()).map(({ message }) => message.id));
    const complete = async () => ledger.effects.size >= 350 && (await dead()).size >= 50;
    await waitUntil('done + dead = published', complete);
    const poison = messages.filter(({ data }) => (data as { kind: string }).kind === 'poison').map(({ id }) => id);
    expect([...(await dead())].sort()).toEqual(poison.sort());
    expect([...ledger.effects.values()].every((count) => count === 1)).toBe(true);
  });

  test('a message whose connection is lost at each delivery is delivered ever less often, and does not die of it', async ({
    start,
  }) => {
    const publisher = await start();
    const LOSSES = 4;
    const pauses: number[] = [];
    const warn = (_text: string, about?: object) => {
      const { waitMs } = (about ?? {}) as { waitMs?: number };
      if (waitMs !== undefined) pauses.push(waitMs);
    };
    const { bus, proxy } = await start({ logger: { ...silent, warn } });
    let deliveries = 0;
    await bus.subscribe(first, async () => {
      deliveries += 1;
      if (deliveries > LOSSES) return;
      proxy.cut();
      proxy.mend();
    });
    await publisher.bus.publish(probe());
    await waitUntil('the last delivery', () => deliveries > LOSSES);
    // 100 ms, doubled with each loss, with jitter.
    const doubled = pauses.map((ms, loss) => ms / (100 * 2 ** loss));
    expect(doubled.filter((factor) => factor < 0.75 || factor > 1.25)).toEqual([]);
    expect(pauses.length).toBeGreaterThanOrEqual(LOSSES);
    expect(await publisher.bus.deadLetters.list()).toEqual([]);
  });

  test('a consumer that stops right after its last message has acknowledged it', async ({ start, plan }) => {
    const { bus } = await start();
    for (let round = 0; round < 10; round++) {
      let handled = 0;
      const subscription = await bus.subscribe(first, async () => void handled++);
      await Promise.all(Array.from({ length: 10 }, () => bus.publish(probe())));
      await waitUntil('ten messages', () => handled === 10);
      await subscription.close();
      const left = await runOnChannel(url, (channel) => channel.checkQueue(nameWorkQueue(first.name, plan)));
      expect([round, left.messageCount, handled]).toEqual([round, 0, 10]);
    }
  });

  test('an undecodable message is a dead letter with its bytes, and replayed unchanged', async ({ start, plan }) => {
    const { bus } = await start();
    await bus.subscribe(first, async () => {});
    const bytes = Buffer.from([0xff, 0x00, 0x7b]);
    await runOnChannel(url, async (channel) => {
      channel.sendToQueue(nameWorkQueue(first.name, plan), bytes, { messageId: 'junk', persistent: true });
      channel.sendToQueue(nameWorkQueue(first.name, plan), Buffer.from('{"id":1}'), { persistent: true });
      await channel.waitForConfirms();
    });
    await waitUntil('both', async () => (await bus.deadLetters.list()).length === 2);
    const junk = (await bus.deadLetters.list()).find(({ id }) => id === `${first.name}:junk`);
    expect(junk?.message).toMatchObject({ type: 'unreadable', data: { content: bytes.toString('base64') } });
    expect(junk?.reason).toMatch(/Unreadable/);
    expect(await bus.deadLetters.replay(`${first.name}:junk`)).toBe(true);
    await waitUntil('both again', async () => (await bus.deadLetters.list()).length === 2);
    const raw = await runOnChannel(url, async (channel) => {
      const all: string[] = [];
      for (let n = 0; n < 2; n++) {
        const one = await channel.get(nameDeadQueue(first.name, plan), { noAck: true });
        if (one) all.push(one.content.toString('hex'));
      }
      return all;
    });
    expect(raw).toContain(bytes.toString('hex'));
  });

  test('an operator whose connection is cut while listing or replaying dead letters loses none', async ({
    start,
    plan,
  }) => {
    const { bus } = await start();
    const doomed = await start();
    await runOnChannel(url, async (channel) => {
      for (let n = 0; n < 400; n++) {
        const message = probe({ id: `dead-${n}` });
        const body = Buffer.from(JSON.stringify(message));
        channel.sendToQueue(nameDeadQueue(first.name, plan), body, { persistent: true, messageId: message.id });
      }
      await channel.waitForConfirms();
    });
    const looking = doomed.bus.deadLetters.list().catch(() => {});
    const replaying = doomed.bus.deadLetters.replay(`${first.name}:dead-399`).catch(() => {});
    const inHand = async () =>
      (await runOnChannel(url, (channel) => channel.checkQueue(nameDeadQueue(first.name, plan)))).messageCount < 400;
    await waitUntil('letters in its hand', inHand);
    doomed.proxy.cut();
    await Promise.all([looking, replaying]);
    await waitUntil('all letters', async () => (await bus.deadLetters.list()).length === 400);
  });
});
