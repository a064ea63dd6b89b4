import { randomUUID } from 'node:crypto';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Broadcast, Logger, Message, Subscription } from '../port.ts';
import { declareExchanges } from './declare.ts';
import { closeChannel, type Link } from './link.ts';
import { broadcastQueue, exchangeOf, type Plan } from './names.ts';
import { decodeBroadcast } from './origin.ts';
import type { Topology } from './topology.ts';

/** Longest broadcast queue, in messages, of a process that stopped reading. */
const backlog = 10_000;

export interface ListenOptions {
  readonly link: Link;
  readonly plan: Plan;
  readonly topology: Topology;
  /** The process's name. */
  readonly process: string;
  readonly logger: Logger;
  readonly waitMs: number;
}

/** Receives broadcasts on a queue of this process's own, deleted with its connection. */
export const listenTo = async (
  { types }: Broadcast,
  handler: (message: Message) => void,
  { link, plan, topology, process, logger, waitMs }: ListenOptions,
): Promise<Subscription> => {
  let channel: ConfirmChannel | undefined;

  const take = (received: ConsumeMessage | null): void => {
    if (!received) return;
    try {
      handler(decodeBroadcast(received, plan));
    } catch (error) {
      const { type, messageId } = received.properties;
      logger.error('a listener failed', { type, messageId, error });
    }
  };
  const station = {
    name: `broadcast ${types.join(' ')}`,
    async open(fresh: ConfirmChannel) {
      await topology.ensure((declaring) => declareExchanges(declaring, types, plan));
      const limits = { 'x-max-length': backlog, 'x-overflow': 'drop-head' };
      const { queue } = await fresh.assertQueue(broadcastQueue(process, randomUUID(), plan), {
        exclusive: true,
        autoDelete: true,
        durable: false,
        arguments: limits,
      });
      for (const type of types) await fresh.bindQueue(queue, exchangeOf(type, plan), type);
      await fresh.consume(queue, (received) => (received ? take(received) : void closeChannel(fresh)), { noAck: true });
      channel = fresh;
    },
    lost() {
      channel = undefined;
    },
  };
  await link.attach(station, waitMs);

  return {
    async close() {
      link.detach(station);
      if (channel) await closeChannel(channel);
    },
  };
};
