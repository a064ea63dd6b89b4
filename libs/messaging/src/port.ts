/**
 * Facts from one service to the others; libs/messaging/src/conformance holds both engines to these guarantees:
 * - At least once: a message is done when its handler resolved. Handlers are idempotent, and resolve after their write.
 * - Order: messages of a key reach a process one at a time, as published, unless a retry delays one or instances share
 * the queue: each carries its aggregate's version, and consumers ignore older ones.
 * - A rejected one is tried again after 5 s, 30 s, 5 min and 5 min; then, or if `Unreadable`, it is a dead letter.
 * - Subscribe everything, then start the relays; stop the relays first.
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
  readonly types: readonly string[];
  /** One process consumes at a time, another takes over when it ends: for consumers in each other's way. */
  readonly singleActiveConsumer?: boolean;
  /** Messages that a process has in hand at once; default: 10. More for consumers that handle many together. */
  readonly atOnce?: number;
}

export const AT_ONCE = 10;

export type Handler = (message: Message, attempt: number) => Promise<void>;

/** The rejection of `publish` when no fact of the message's type is declared. */
export class Unroutable extends Error {
  override readonly name = 'Unroutable';
}

/** Thrown by a handler for a message that no retry can fix: it is dead-lettered at once. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** A type is a name from outside: what every object inherits is none. @throws {Unreadable} without one */
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
  readonly deadSince: string;
}

export interface DeadLetters {
  /** Up to 10,000 per queue, the oldest first. */
  list(queue?: string): Promise<DeadLetter[]>;
  /** Once more, with all of its attempts; returns whether it existed. It leaves the list once it is safe elsewhere. */
  replay(id: string): Promise<boolean>;
  drop(id: string): Promise<boolean>;
}

export interface QueueDepth {
  readonly queue: string;
  /** Not handled yet, including those in hand where the engine counts them (in-process). */
  readonly waiting: number;
  /** Failed, and waiting for another attempt. */
  readonly retrying: number;
  readonly dead: number;
}

export interface Bus {
  /** The name in OpenTelemetry's `messaging.system`. */
  readonly system: 'rabbitmq' | 'in_process';
  /**
   * Resolves when every bound queue has it durably (in-process: handled or dead), else rejects: publish it again then.
   * A fact that no queue takes counts as published at once.
   */
  publish(message: Message): Promise<void>;
  subscribe(queue: Queue, handler: Handler): Promise<Subscription>;
  readonly deadLetters: DeadLetters;
  /** Reads the depths of queues, cheaply enough for each poll of a dashboard. Rejects if the engine is unreachable. */
  depths(queues: readonly Queue[]): Promise<QueueDepth[]>;
  /** Resolves if the engine is connected; rejects otherwise. For readiness. */
  ping(): Promise<void>;
  /** Stops consuming, finishes what is in hand, then disconnects. */
  close(): Promise<void>;
}

export interface OutboxPort {
  pending(limit: number, olderThanMs?: number): Promise<Message[]>;
  done(ids: readonly string[]): Promise<void>;
  onCommitted(listener: (events: readonly Message[]) => void): () => void;
}

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
