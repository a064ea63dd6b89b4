/**
 * Messaging: facts from one service to the others, and the guarantees that both engines give
 * (libs/messaging/src/conformance holds them to it).
 *
 * - At least once: a message is published when every queue bound to its type has it durably, and done when its handler
 *   resolved. Handlers are idempotent; a handler resolves only after its own write committed.
 * - Order: messages of one key reach a process in the order of publishing and its handler one at a time, unless a retry
 *   delays one, or several instances share the queue (then two messages of a key may be in two instances at once): so
 *   every message carries its aggregate's version and consumers ignore older ones. Keys do not wait for one another;
 *   up to ten messages of a queue are in hand at once.
 * - A handler that rejects is tried again after 5 s, 30 s, 5 min and 5 min (five attempts in all), and does not hold up
 *   the others meanwhile; then, or when the message cannot be read (`Unreadable`), it goes to the dead letters of its
 *   queue, where an operator lists, replays or drops it.
 * - A fact that the topology names nowhere cannot be published (`Unroutable`).
 * - Start order: subscribe everything, then start the relays; stop the relays first.
 */

/** One fact on its way. The same shape as an outbox event of the store. */
export interface Message {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly version: number;
  readonly institution: string;
  readonly occurredAt: string;
  readonly traceparent?: string;
  readonly data: object;
}

/** A consumer group's queue: durable, one per group and contract version, shared by the group's instances. */
export interface Queue {
  /** `<domain>.<purpose>.v<n>`, for example `orders.cancellation.v1`. */
  readonly name: string;
  /** The message types it receives, for example `order.cancelled`. */
  readonly types: readonly string[];
  /**
   * Only one process consumes at a time; another takes over when it ends. For consumers that would be in each other's
   * way, such as those that number what they write.
   */
  readonly singleActiveConsumer?: boolean;
  /** Messages that a process has in hand at once; default: 10. More for consumers that handle many together. */
  readonly atOnce?: number;
}

/** The default of a queue's `atOnce`. */
export const AT_ONCE = 10;

/**
 * Delivers a copy of each message to every process, and none while the process is down (each instance has an exclusive
 * queue).
 */
export interface Broadcast {
  readonly types: readonly string[];
}

export type Handler = (message: Message, attempt: number) => Promise<void>;

/** The rejection of `publish` when no queue and no broadcast is declared for the message's type. */
export class Unroutable extends Error {
  override readonly name = 'Unroutable';
}

/** Thrown by a handler for a message that no retry can fix: it is dead-lettered at once. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * The reaction to a message in a table by types. A type is a name from outside: what every object inherits is none.
 * @throws {Unreadable} without one
 */
export function findReaction<Reaction>(
  reactions: Readonly<Record<string, Reaction>>,
  { type }: Pick<Message, 'type'>,
): Reaction {
  const reaction = Object.hasOwn(reactions, type) ? reactions[type] : undefined;
  if (reaction === undefined) throw new Unreadable(`no reaction handles ${type}`);
  return reaction;
}

export interface Subscription {
  /** Stops taking messages and resolves when those in hand are finished. */
  close(): Promise<void>;
}

export interface DeadLetter {
  /** `<queue>:<message id>`. */
  readonly id: string;
  readonly queue: string;
  /** An unreadable message has the type `unreadable` and its bytes, in base64, as `data.content`. */
  readonly message: Message;
  readonly reason: string;
  readonly attempts: number;
  /** ISO 8601 UTC. */
  readonly deadSince: string;
}

export interface DeadLetters {
  /** Up to 10,000 per queue, the oldest first. */
  list(queue?: string): Promise<DeadLetter[]>;
  /**
   * Delivers the message to its queue once more, with all of its attempts; returns whether it existed. It leaves the
   * list once it is safe elsewhere: in its queue (RabbitMQ) or handled (in-process, where the queue needs a
   * subscriber).
   */
  replay(id: string): Promise<boolean>;
  drop(id: string): Promise<boolean>;
}

/** The depth of a queue. */
export interface QueueDepth {
  readonly queue: string;
  /** Not handled yet, including those in hand where the engine counts them (in-process). */
  readonly waiting: number;
  /** Failed, and waiting for another attempt. */
  readonly retrying: number;
  /** Dead letters. */
  readonly dead: number;
}

export interface Bus {
  /** The name in OpenTelemetry's `messaging.system`. */
  readonly system: 'rabbitmq' | 'in_process';
  /**
   * Resolves when every bound queue has the message durably (RabbitMQ: confirmed and not returned; in-process: every
   * handler resolved or the message is a dead letter). Rejects otherwise, within 10 s on RabbitMQ: publish it again
   * then. A broadcast counts as published even without subscribers.
   */
  publish(message: Message): Promise<void>;
  subscribe(queue: Queue, handler: Handler): Promise<Subscription>;
  /** Every process gets every message of these types that is published while it is connected. */
  listen(broadcast: Broadcast, handler: (message: Message) => void): Promise<Subscription>;
  readonly deadLetters: DeadLetters;
  /** Reads the depths of queues, cheaply enough for each poll of a dashboard. Rejects if the engine is unreachable. */
  depths(queues: readonly Queue[]): Promise<QueueDepth[]>;
  /** Resolves if the engine is connected; rejects otherwise. For readiness. */
  ping(): Promise<void>;
  /** Stops consuming, finishes what is in hand, then disconnects. */
  close(): Promise<void>;
}

/** The outbox interface that the relay needs of a store. */
export interface OutboxPort {
  pending(limit: number, olderThanMs?: number): Promise<Message[]>;
  done(ids: readonly string[]): Promise<void>;
  onCommitted(listener: (events: readonly Message[]) => void): () => void;
}

/** Metrics of the relay. */
export interface RelayMetrics {
  published(count: number): void;
  failed(count: number): void;
}

/** Where the in-process bus stores its dead letters; the embedded composition passes a store. */
export interface DeadLetterStore {
  /** Durable when it resolves; replaces a letter of the same id. */
  add(letter: DeadLetter): Promise<void>;
  list(queue?: string): Promise<DeadLetter[]>;
  /** The number of letters in `list`; without it, they are counted there. */
  count?(queue: string): Promise<number>;
  get(id: string): Promise<DeadLetter | undefined>;
  remove(id: string): Promise<boolean>;
}

/** The log of this library. */
export type Logger = Readonly<Record<'info' | 'warn' | 'error', (message: string, fields?: LogFields) => void>>;

export interface LogFields {
  readonly queue?: string;
  readonly type?: string;
  readonly messageId?: string;
  readonly attempt?: number;
  readonly reason?: string;
  readonly part?: string;
  readonly waitMs?: number;
  readonly count?: number;
  readonly error?: unknown;
}
