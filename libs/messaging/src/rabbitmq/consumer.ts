import { setTimeout as pause } from 'node:timers/promises';
import { settleWithin } from '@boxoffice/runtime/time';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import { attemptTo, computeBackoff, describeReason } from '../attempts.ts';
import { createPartitions } from '../partitions.ts';
import { AT_ONCE, type Handler, type Logger, type Message, type Queue, type Subscription } from '../port.ts';
import { buildOriginHeaders, decodeDelivery, forward, readAttempt } from './codec.ts';
import { closeChannel, type Link } from './link.ts';
import { nameDeadQueue, nameMovesExchange, nameRetryQueue, nameWorkQueue, type Plan } from './names.ts';
import type { Sender } from './publisher.ts';
import { declareQueue, type Topology } from './topology.ts';

/** How long a closing subscription waits for each response of the broker. */
const answerMs = 1_000;

/** After twenty deliveries, over lost channels too, the broker gives a message up: after early losses each waits. */
const steadyMs = 10_000;
const longestPauseMs = 15_000;

interface ConsumerOptions {
  readonly link: Link;
  readonly sender: Sender;
  readonly plan: Plan;
  readonly topology: Topology;
  readonly logger: Logger;
  readonly waitMs: number;
}

interface Delivery {
  readonly channel: ConfirmChannel;
  readonly received: ConsumeMessage;
  /** Undefined if it cannot be read, for the reason given. */
  readonly message?: Message;
  readonly unreadable?: unknown;
}

/** One message of a key at a time, acknowledged when its handler resolved or its next queue has confirmed it. */
export async function consume(queue: Queue, handler: Handler, options: ConsumerOptions): Promise<Subscription> {
  const { link, sender, plan, topology, logger, waitMs } = options;
  let channel: ConfirmChannel | undefined;
  let tag: string | undefined;
  let stopping = false;
  /** When the channel began to consume, on the monotonic clock; undefined before. */
  let consumingSince: number | undefined;
  let lostEarly = 0;
  const moves = nameMovesExchange(queue.name, plan);

  const acknowledge = ({ channel: from, received }: Delivery): void => {
    if (from === channel) from.ack(received);
  };

  /** Moves a message to another queue, retrying without limit, then acknowledges it. */
  const moveTo = async (
    target: string,
    delivery: Delivery,
    headers: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    for (let tries = 1; delivery.channel === channel; tries++) {
      try {
        const { received } = delivery;
        const wire = forward(received, { ...headers, ...buildOriginHeaders(queue.name, received, plan) });
        await sender.sendTo(moves, target, wire);
        return acknowledge(delivery);
      } catch (error) {
        logger.warn('a message could not be moved', { queue: target, attempt: tries, error });
        if (stopping) return; // it stays unacknowledged, so another consumer gets it
        await pause(computeBackoff(tries, 5_000));
      }
    }
  };

  const bury = (delivery: Delivery, attempts: number, error: unknown): Promise<void> => {
    const { type, messageId } = delivery.received.properties;
    logger.error('a message became a dead letter', { queue: queue.name, type, messageId, attempt: attempts, error });
    const headers = { attempt: attempts, reason: describeReason(error), 'dead-since': new Date().toISOString() };
    return moveTo(nameDeadQueue(queue.name, plan), delivery, headers);
  };

  const work = async (delivery: Delivery): Promise<undefined> => {
    const { message, received, unreadable } = delivery;
    if (stopping || delivery.channel !== channel) return;
    const attempt = readAttempt(received);
    if (!message) return void (await bury(delivery, attempt, unreadable));
    const outcome = await attemptTo(handler, message, attempt, plan.retryDelaysMs);
    if (outcome.state === 'handled') return void acknowledge(delivery);
    if (outcome.state === 'dead') return void (await bury(delivery, attempt, outcome.error));
    const { delayMs, error } = outcome;
    const about = { queue: queue.name, type: message.type, messageId: message.id, attempt };
    logger.warn('a message will be retried', { ...about, waitMs: delayMs, error });
    await moveTo(nameRetryQueue(queue.name, delayMs, plan), delivery, { attempt: attempt + 1 });
  };
  const prefetch = queue.atOnce ?? AT_ONCE;
  const partitions = createPartitions<Delivery>({ limit: prefetch, work });

  const read = (received: ConsumeMessage): Pick<Delivery, 'message' | 'unreadable'> => {
    try {
      return { message: decodeDelivery(queue.name, received, plan) };
    } catch (unreadable) {
      return { unreadable };
    }
  };

  const beginAfter = async (ms: number, fresh: ConfirmChannel, begin: () => Promise<void>): Promise<void> => {
    logger.warn('a queue is consumed again after a pause: its channels were lost', { queue: queue.name, waitMs: ms });
    await pause(ms, undefined, { ref: false });
    if (stopping || fresh !== channel) return;
    await begin().catch((error: unknown) => {
      logger.warn('a queue cannot be consumed', { queue: queue.name, error });
      return closeChannel(fresh);
    });
  };

  const station = {
    name: queue.name,
    async open(fresh: ConfirmChannel) {
      await topology.ensure((declaring) => declareQueue(declaring, queue, plan));
      await fresh.prefetch(prefetch);
      channel = fresh;
      const take = (received: ConsumeMessage | null): void => {
        // The broker ended the consumer (its queue was deleted or moved): a new channel declares and consumes again.
        if (!received) return void closeChannel(fresh);
        const delivery = { channel: fresh, received, ...read(received) };
        partitions.push(delivery.message?.key ?? `unreadable ${received.fields.deliveryTag}`, delivery);
      };
      const begin = async (): Promise<void> => {
        const { consumerTag } = await fresh.consume(nameWorkQueue(queue.name, plan), take);
        if (fresh !== channel) return;
        tag = consumerTag;
        consumingSince = performance.now();
      };
      if (lostEarly === 0) return begin();
      void beginAfter(computeBackoff(lostEarly, longestPauseMs), fresh, begin);
    },
    onLost() {
      if (consumingSince !== undefined) lostEarly = performance.now() - consumingSince < steadyMs ? lostEarly + 1 : 0;
      channel = undefined;
      tag = undefined;
      consumingSince = undefined;
    },
  };
  await link.attach(station, waitMs);

  return {
    async close() {
      if (stopping) return;
      stopping = true;
      link.detach(station);
      const last = channel;
      if (last && tag !== undefined) await settleWithin(last.cancel(tag), answerMs, () => {}).catch(() => {});
      partitions.drop();
      await partitions.quiet();
      // A close right after an acknowledgement can lose it: a request first, since the broker responds in order.
      if (!last) return;
      await settleWithin(last.checkQueue(nameWorkQueue(queue.name, plan)), answerMs, () => {}).catch(() => {});
      await settleWithin(closeChannel(last), answerMs, () => {});
    },
  };
}
