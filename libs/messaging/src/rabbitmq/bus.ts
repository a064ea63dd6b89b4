import { settleWithin } from '@boxoffice/runtime/time';
import type { Bus, Logger, Queue, QueueDepth, Subscription } from '../port.ts';
import type { Declared } from '../topology.ts';
import { consume } from './consumer.ts';
import { createDeadLetters } from './dead-letters.ts';
import { type Link, openLink } from './link.ts';
import { createPlan, nameDeadQueue, nameRetryQueue, nameWorkQueue, type Plan } from './names.ts';
import { createSender } from './publisher.ts';
import { createTopology, declareAll } from './topology.ts';

export interface RabbitmqOptions extends Partial<Plan> {
  /** `amqp://user:password@host:port/vhost`, or `amqps:`. */
  readonly url: string;
  readonly logger: Logger;
  /** The broker's name for the connection; default `boxoffice`. */
  readonly name?: string;
  /** Default 30,000. With 0 the bus is available at once, connects when it can, and refuses to publish until then. */
  readonly connectTimeoutMs?: number;
  /** How long a published message may go unconfirmed. Default 10,000. */
  readonly confirmTimeoutMs?: number;
}

/** How long `close` waits for outstanding confirms. */
const closingMs = 3_000;

/** For processes whose users may not. @throws if the broker is unreachable or refuses; the message is one line */
export async function declareRabbitmqTopology(options: RabbitmqOptions): Promise<Declared> {
  const { url, logger, name = 'operator', connectTimeoutMs = 30_000 } = options;
  const plan = createPlan(options);
  const link = await openLink({ url, logger, name: `${name} declaring` });
  try {
    await link.waitUntilEstablished(connectTimeoutMs);
    await link.using((channel) => declareAll(channel, plan));
    return plan.declared;
  } finally {
    await link.close();
  }
}

/**
 * RabbitMQ from 3.10. Consumers have a connection of their own: a broker that throttles publishers still gets acks.
 * @throws if the broker cannot be reached in time or refuses; the message is one line
 */
export async function connectRabbitmq(options: RabbitmqOptions): Promise<Bus> {
  const { url, logger, name = 'boxoffice', connectTimeoutMs: waitMs = 30_000, confirmTimeoutMs = 10_000 } = options;
  const installed = createPlan(options);
  const topologyBy = createTopology(installed, logger);
  const publishing = await openLink({ url, logger, name: `${name} publishing` });
  const sender = createSender({
    link: publishing,
    plan: installed,
    topology: topologyBy(publishing),
    confirmTimeoutMs,
  });
  try {
    if (waitMs > 0) await publishing.waitUntilEstablished(waitMs);
    await publishing.attach(sender.station, waitMs);
  } catch (error) {
    await publishing.close();
    throw error;
  }
  const own: Queue[] = [...installed.declared.queues];
  const plan: Plan = { ...installed, declared: { ...installed.declared, queues: own } };
  const subscriptions = new Set<Subscription>();
  let consuming: Promise<Link> | undefined;
  let consumingLink: Link | undefined;

  const consumingConnection = (): Promise<Link> => {
    consuming ??= openLink({ url, logger, name: `${name} consuming` }).then((link) => {
      consumingLink = link;
      return link;
    });
    return consuming;
  };
  const rememberSubscription = (subscription: Subscription): Subscription => {
    const open = {
      async close() {
        subscriptions.delete(open);
        await subscription.close();
      },
    };
    subscriptions.add(open);
    return open;
  };

  return {
    system: 'rabbitmq',
    publish: sender.publish,
    async subscribe(queue, handler) {
      if (!own.some((known) => known.name === queue.name)) own.push(queue);
      const link = await consumingConnection();
      return rememberSubscription(
        await consume(queue, handler, { link, sender, plan, topology: topologyBy(link), logger, waitMs }),
      );
    },
    deadLetters: createDeadLetters(publishing, sender, plan),
    depths: (queues) => depthsOf(queues, publishing, plan),
    async ping() {
      if (!sender.isReady()) throw new Error('not connected to RabbitMQ');
      if (consumingLink && !consumingLink.isUp()) throw new Error('not connected to RabbitMQ');
    },
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      await consumingLink?.close();
      await settleWithin(sender.quiet(), closingMs, () => {});
      await publishing.close();
    },
  };
}

/** Reads the depths of queues from the broker: passive declarations on one channel. They count ready messages only. */
const depthsOf = (queues: readonly Queue[], link: Link, plan: Plan): Promise<QueueDepth[]> =>
  link.using(async (channel) => {
    const count = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
    const delays = [...new Set(plan.retryDelaysMs)];
    return Promise.all(
      queues.map(async ({ name }) => {
        const retries = await Promise.all(delays.map((delay) => count(nameRetryQueue(name, delay, plan))));
        return {
          queue: name,
          waiting: await count(nameWorkQueue(name, plan)),
          retrying: retries.reduce((sum, one) => sum + one, 0),
          dead: await count(nameDeadQueue(name, plan)),
        };
      }),
    );
  });
