import type { Channel } from 'amqplib';
import type { Queue } from '../port.ts';
import {
  deadArguments,
  deadQueue,
  exchangeOf,
  movesExchange,
  type Plan,
  retryArguments,
  retryQueue,
  topologyMarks,
  workArguments,
  workQueue,
} from './names.ts';

/** Declares the durable topic exchanges of message types. */
export const declareExchanges = async (channel: Channel, types: readonly string[], plan: Plan): Promise<void> => {
  for (const exchange of new Set(types.map((type) => exchangeOf(type, plan)))) {
    await channel.assertExchange(exchange, 'topic', { durable: true });
  }
};

/** Declares a queue with its retry queues and its dead letters, the targets first, and binds it to its types. */
export const declareQueue = async (channel: Channel, queue: Queue, plan: Plan): Promise<void> => {
  const { name, types } = queue;
  await declareExchanges(channel, types, plan);
  await channel.assertQueue(deadQueue(name, plan), deadArguments());
  await channel.assertQueue(workQueue(name, plan), workArguments(queue, plan));
  for (const delayMs of new Set(plan.retryDelaysMs)) {
    await channel.assertQueue(retryQueue(name, delayMs, plan), retryArguments(name, delayMs, plan));
  }
  for (const type of types) await channel.bindQueue(workQueue(name, plan), exchangeOf(type, plan), type);
  const moves = movesExchange(name, plan);
  await channel.assertExchange(moves, 'direct', { durable: true });
  const retries = plan.retryDelaysMs.map((delayMs) => retryQueue(name, delayMs, plan));
  for (const target of new Set([workQueue(name, plan), deadQueue(name, plan), ...retries]))
    await channel.bindQueue(target, moves, target);
};

/** Declares the topology of the installation's facts, and marks it as complete by {@link topologyMarks}. */
export const declareAll = async (channel: Channel, plan: Plan): Promise<void> => {
  for (const { types } of plan.declared.broadcasts) await declareExchanges(channel, types, plan);
  for (const queue of plan.declared.queues) await declareQueue(channel, queue, plan);
  for (const mark of topologyMarks(plan)) await channel.assertExchange(mark, 'fanout', { durable: true });
};
