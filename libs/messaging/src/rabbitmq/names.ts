import type { Options } from 'amqplib';
import { defaultRetryDelaysMs } from '../attempts.ts';
import type { Queue } from '../port.ts';
import { type Declared, declared as installation, maxQueueLength } from '../topology.ts';

export interface Plan {
  /** Precedes every exchange and queue name: installations, or tests, that share a broker. Default: empty. */
  readonly prefix: string;
  readonly retryDelaysMs: readonly number[];
  /** Messages that a queue accepts before it refuses more; a queue argument, so equal in all processes. */
  readonly maxLength: number;
  /** The facts that are declared; default: the installation's. */
  readonly declared: Declared;
}

export function createPlan({
  prefix = '',
  retryDelaysMs = defaultRetryDelaysMs,
  maxLength = maxQueueLength,
  declared = installation,
}: Partial<Plan>): Plan {
  return { prefix, retryDelaysMs, maxLength, declared };
}

/** `contact.erased` is published to `boxoffice.contact`. */
export function nameExchange(type: string, { prefix }: Plan): string {
  return `${prefix}boxoffice.${type.split('.', 1)[0]}`;
}

export function nameWorkQueue(name: string, { prefix }: Plan): string {
  return `${prefix}${name}`;
}
export function nameDeadQueue(name: string, { prefix }: Plan): string {
  return `${prefix}${name}.dlq`;
}

/** For moves to retry queues and dead letters: with the default exchange their right would be one to every queue. */
export function nameMovesExchange(name: string, { prefix }: Plan): string {
  return `${prefix}${name}.moves`;
}

/** The delay is part of the name, since the arguments of a queue cannot change. */
export function nameRetryQueue(name: string, delayMs: number, { prefix }: Plan): string {
  return `${prefix}${name}.retry.${duration(delayMs)}`;
}

const duration = (ms: number): string => {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
};

/** Without a limit RabbitMQ 4 would delete a dead letter after twenty listings. */
const lookedAtForever = 1_000_000_000;

/** A message that twenty deliveries did not get acknowledged kills its consumers: it is dead. */
export function buildWorkArguments({ name, singleActiveConsumer }: Queue, plan: Plan): Options.AssertQueue {
  return quorum({
    'x-delivery-limit': 20,
    ...toQueue(nameDeadQueue(name, plan), plan),
    ...(singleActiveConsumer ? { 'x-single-active-consumer': true } : {}),
  });
}

const quorum = (rest: Readonly<Record<string, unknown>>): Options.AssertQueue => ({
  durable: true,
  arguments: { 'x-queue-type': 'quorum', ...rest },
});

/** No message is discarded: a full queue refuses, and a message leaves for another queue only once that one has it. */
const toQueue = (target: string, { maxLength }: Plan) => ({
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': target,
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
  'x-max-length': maxLength,
});

export function buildRetryArguments(name: string, delayMs: number, plan: Plan): Options.AssertQueue {
  return quorum({ 'x-message-ttl': delayMs, 'x-delivery-limit': 20, ...toQueue(nameWorkQueue(name, plan), plan) });
}

/** Dead letters stay until an operator decides. */
export function buildDeadArguments(): Options.AssertQueue {
  return quorum({ 'x-delivery-limit': lookedAtForever });
}

/**
 * Exchanges, since a binding cannot be queried; declared last. One for each queue and fact, and one for each fact that
 * no queue takes, so that a process finds the topology of its release in that of a later one, which has more.
 */
export function listTopologyMarks({ declared, retryDelaysMs, maxLength, prefix }: Plan): readonly string[] {
  const queueOptions = [...retryDelaysMs.map(duration), maxLength].join(':');
  const ofQueues = declared.queues.flatMap(({ name, types }) => types.map((type) => `${name}:${type}:${queueOptions}`));
  const others = declared.untaken.map((type) => `fact:${type}`);
  return [...ofQueues, ...others].map((mark) => `${prefix}boxoffice.topology.${mark}`);
}
