import { first, probe, waitUntil } from '@boxoffice/messaging/conformance';
import { expect } from '@jest/globals';
import { connectRabbitmq } from '../../src/index.ts';
import { nameExchange, nameWorkQueue } from '../../src/rabbitmq/names.ts';
import { describeWithBroker, isFulfilled, openProxy, runOnChannel } from './broker.ts';

describeWithBroker('publishing to RabbitMQ', (url, test) => {
  test('a message is persistent and has its id and type as properties', async ({ start, plan }) => {
    const { bus } = await start();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const message = probe({ version: 7, traceparent });
    await bus.publish(message);
    const got = await runOnChannel(url, (channel) => channel.get(nameWorkQueue(first.name, plan), { noAck: true }));
    expect(got && JSON.parse(got.content.toString())).toEqual(message);
    expect(got ? got.properties : got).toMatchObject({
      messageId: message.id,
      type: message.type,
      deliveryMode: 2,
      contentType: 'application/json',
      headers: { traceparent, version: 7 },
    });
  });

  test('of many messages in flight exactly the unroutable ones fail, also if one id is both', async ({ start }) => {
    const { bus } = await start();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, n) =>
        bus.publish(probe({ id: 'the-same', type: n % 3 ? first.types[0] : 'probe.nowhere' })),
      ),
    );
    const failed = outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    expect(failed).toEqual(Array.from({ length: 100 }, (_, n) => n * 3));
  });

  test('a channel that the broker closes fails the messages in flight, and is reopened with its exchange', async ({
    start,
    plan,
  }) => {
    const { bus } = await start();
    await bus.publish(probe());
    await runOnChannel(url, (channel) => channel.deleteExchange(nameExchange('probe.repeated', plan)));
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => bus.publish(probe())));
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBe(20);
    await waitUntil('a channel', () => isFulfilled(bus.publish(probe())));
    await bus.publish(probe());
  });

  test('a cut connection fails the unconfirmed messages; the confirmed ones are in the queue', async ({ start }) => {
    const { bus, proxy } = await start();
    const confirmed: string[] = [];
    let failed = 0;
    let last: Promise<unknown> | undefined;
    const publish = async (): Promise<void> => {
      const message = probe();
      await bus.publish(message).then(
        () => {
          confirmed.push(message.id);
          if (confirmed.length !== 100) return;
          proxy.cut();
          // The broker may have confirmed all of them at once; this one it never hears of.
          last = publish();
        },
        () => failed++,
      );
    };
    await Promise.all(Array.from({ length: 1000 }, publish));
    await last;
    expect(confirmed.length + failed).toBe(1001);
    expect(failed).toBeGreaterThan(0);
    await expect(bus.ping()).rejects.toThrow();
    await expect(bus.publish(probe())).rejects.toThrow();
    proxy.mend();
    await waitUntil('a connection', () => isFulfilled(bus.publish(probe())));
    const queued = new Set<string>();
    await bus.subscribe(first, async ({ id }) => void queued.add(id));
    await waitUntil('what was confirmed', () => confirmed.every((id) => queued.has(id)));
  });

  test(
    'a message that the broker does not confirm fails in time',
    async ({ start }) => {
      const { bus, proxy } = await start();
      proxy.freeze();
      await expect(bus.publish(probe())).rejects.toThrow(/not confirmed within 1000 ms/);
      proxy.cut();
      proxy.mend();
      await waitUntil('a connection', () => isFulfilled(bus.publish(probe())));
    },
    { confirmTimeoutMs: 1_000 },
  );

  test('a bus that does not wait for the broker connects with its subscriptions when the broker starts', async ({
    options,
  }) => {
    const proxy = await openProxy(url);
    proxy.cut();
    const bus = await connectRabbitmq({ ...options, url: proxy.url, connectTimeoutMs: 0 });
    const received: string[] = [];
    await bus.subscribe(first, async ({ id }) => void received.push(id));
    await expect(bus.ping()).rejects.toThrow();
    await expect(bus.publish(probe())).rejects.toThrow();
    proxy.mend();
    const message = probe();
    await waitUntil('the broker', () => isFulfilled(bus.publish(message)));
    await waitUntil('the message', () => received.includes(message.id));
    await bus.close();
    await proxy.close();
  });
});
