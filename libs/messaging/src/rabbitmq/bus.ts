// The messaging port on RabbitMQ: connections, topology, publishing with confirms, consumers and dead letters.

import { within } from '@boxoffice/runtime/time';
import { defaultRetryDelaysMs } from '../attempts.ts';
import type { Bus, Logger, Queue, Subscription } from '../port.ts';
import { type Declared, declared as installation } from '../topology.ts';
import { listenTo } from './broadcast.ts';
import { consume } from './consumer.ts';
import { createDeadLetters } from './dead-letters.ts';
import { declareAll } from './declare.ts';
import { depthsOf } from './depths.ts';
import { type Link, openLink } from './link.ts';
import { type Plan, planOf } from './names.ts';
import { createSender, type Sender } from './publisher.ts';
import { createTopology } from './topology.ts';

export interface RabbitmqOptions {
  /** `amqp://user:password@host:port/vhost`, or `amqps:`. */
  readonly url: string;
  readonly logger: Logger;
  /**
   * The process's name: the broker's name for the connection, and the prefix of its own queues; default `boxoffice`.
   */
  readonly name?: string;
  /** Milliseconds before the second, third and later attempts. Default: 5 s, 30 s, 5 min. */
  readonly retryDelaysMs?: readonly number[];
  /** Precedes every exchange and queue name, to share a broker. */
  readonly prefix?: string;
  /** The facts that are declared; default: the installation's. */
  readonly declared?: Declared;
  /**
   * Time limit of the first connection. Default 30,000. With 0 the bus is available at once, connects when it can, and
   * refuses to publish until then.
   */
  readonly connectTimeoutMs?: number;
  /** How long a published message may go unconfirmed. Default 10,000. */
  readonly confirmTimeoutMs?: number;
  /** Messages that a queue accepts before it refuses more; a queue argument, so equal in all processes. */
  readonly maxLength?: number;
}

/** How long `close` waits for outstanding confirms. */
const closingMs = 3_000;

/** A bus that only publishes. */
export type Publisher = Pick<Bus, 'publish' | 'ping' | 'close'>;

interface Publishing extends Publisher {
  readonly link: Link;
  readonly sender: Sender;
  readonly plan: Plan;
  readonly topologyBy: ReturnType<typeof createTopology>;
}

/** The plan that the options describe. */
const planned = ({
  retryDelaysMs = defaultRetryDelaysMs,
  declared = installation,
  prefix = '',
  maxLength,
}: RabbitmqOptions): Plan =>
  planOf({ retryDelaysMs, declared, prefix, ...(maxLength === undefined ? {} : { maxLength }) });

/**
 * Declares the exchanges and queues of the installation, for processes whose users may not.
 * @throws if the broker cannot be reached in time or refuses; the message is one line.
 */
export const declareRabbitmqTopology = async (options: RabbitmqOptions): Promise<Declared> => {
  const { url, logger, name = 'operator', connectTimeoutMs = 30_000 } = options;
  const plan = planned(options);
  const link = await openLink({ url, logger, name: `${name} declaring` });
  try {
    await link.established(connectTimeoutMs);
    await link.using((channel) => declareAll(channel, plan));
    return plan.declared;
  } finally {
    await link.close();
  }
};

const openPublishing = async (options: RabbitmqOptions): Promise<Publishing> => {
  const { url, logger, name = 'boxoffice', connectTimeoutMs = 30_000, confirmTimeoutMs = 10_000 } = options;
  const plan = planned(options);
  const link = await openLink({ url, logger, name: `${name} publishing` });
  const topologyBy = createTopology(plan, logger);
  const sender = createSender({ link, plan, topology: topologyBy(link), confirmTimeoutMs });
  try {
    if (connectTimeoutMs > 0) await link.established(connectTimeoutMs);
    await link.attach(sender.station, connectTimeoutMs);
  } catch (error) {
    await link.close();
    throw error;
  }
  return {
    link,
    sender,
    plan,
    topologyBy,
    publish: sender.publish,
    async ping() {
      if (!sender.isReady()) throw new Error('not connected to RabbitMQ');
    },
    async close() {
      await within(sender.quiet(), closingMs, () => {});
      await link.close();
    },
  };
};

/**
 * Connects to RabbitMQ for publishing alone: one connection, no queue of its own; declares the topology, if its user
 * may.
 * @throws if the broker cannot be reached in time or refuses the connection; the message is one line.
 */
export const connectRabbitmqPublisher = async (options: RabbitmqOptions): Promise<Publisher> => {
  const { publish, ping, close } = await openPublishing(options);
  return { publish, ping, close };
};

/**
 * Connects to RabbitMQ (3.10 and newer). Publishing and consuming have a connection each, the second opened by the
 * first subscription, so that a broker that throttles publishers still gets acknowledgements. Connections, channels and
 * consumers are reopened without limit.
 * @throws if the broker cannot be reached in time or refuses the connection; the message is one line.
 */
export const connectRabbitmq = async (options: RabbitmqOptions): Promise<Bus> => {
  const { url, logger, name = 'boxoffice', connectTimeoutMs: waitMs = 30_000 } = options;
  const publishing = await openPublishing(options);
  const { sender, topologyBy } = publishing;
  const own: Queue[] = [...publishing.plan.declared.queues];
  const plan: Plan = { ...publishing.plan, declared: { ...publishing.plan.declared, queues: own } };
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
  const remembered = (subscription: Subscription): Subscription => {
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
      return remembered(
        await consume(queue, handler, { link, sender, plan, topology: topologyBy(link), logger, waitMs }),
      );
    },
    async listen(broadcast, handler) {
      const link = await consumingConnection();
      return remembered(
        await listenTo(broadcast, handler, { link, plan, topology: topologyBy(link), process: name, logger, waitMs }),
      );
    },
    deadLetters: createDeadLetters(publishing.link, sender, plan),
    depths: (queues) => depthsOf(queues, publishing.link, plan),
    async ping() {
      await publishing.ping();
      if (consumingLink && !consumingLink.isUp()) throw new Error('not connected to RabbitMQ');
    },
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      await consumingLink?.close();
      await publishing.close();
    },
  };
};
