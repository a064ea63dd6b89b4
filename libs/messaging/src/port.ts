/**
 * Messaging: facts from one service to the others, and the guarantees that both engines give
 * (libs/messaging/src/conformance holds them to it).
 *
 * - At least once: a message is published when every queue bound to its type has it durably, and done when its handler
 *   resolved. Handlers are idempotent; a handler resolves only after its own write committed.
 * - Order: messages of one key reach a handler in the order of publishing, one at a time, unless a retry delays one:
 *   so every message carries its aggregate's version and consumers ignore older ones.
 * - A handler that rejects is tried again after 5 s, 30 s and 5 min (five attempts in all); then, or when the message cannot be read
 *   (`Unreadable`), it goes to the dead letters of its queue, where an operator lists, replays or drops it.
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
}

/** Receives a copy of each message in every process, and none while the process is down (each instance its own exclusive queue). */
export interface Broadcast {
  readonly types: readonly string[];
}

export type Handler = (message: Message, attempt: number) => Promise<void>;

/** Thrown by a handler for a message that no retry can mend: it is dead-lettered at once. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export interface Subscription {
  /** Stops taking messages and resolves when those in hand are finished. */
  close(): Promise<void>;
}

export interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly message: Message;
  readonly reason: string;
  readonly attempts: number;
  /** ISO 8601 UTC. */
  readonly deadSince: string;
}

export interface DeadLetters {
  list(queue?: string): Promise<DeadLetter[]>;
  /** Gives the message to its queue once more; answers whether it was there. */
  replay(id: string): Promise<boolean>;
  drop(id: string): Promise<boolean>;
}

export interface Bus {
  /**
   * Resolves when every bound queue has the message durably (RabbitMQ: confirmed and not returned; in-process: every
   * handler resolved or the message is a dead letter). Rejects otherwise, within 10 s on RabbitMQ: publish it again then.
   */
  publish(message: Message): Promise<void>;
  subscribe(queue: Queue, handler: Handler): Promise<Subscription>;
  /** Every process gets every message of these types that is published while it is connected. */
  listen(broadcast: Broadcast, handler: (message: Message) => void): Promise<Subscription>;
  readonly deadLetters: DeadLetters;
  /** Resolves if the engine is connected; rejects otherwise. For readiness. */
  ping(): Promise<void>;
  /** Stops consuming, finishes what is in hand, then disconnects. */
  close(): Promise<void>;
}

/** What the relay needs of a store: the outbox, in the store's own words. */
export interface OutboxPort {
  pending(limit: number, olderThanMs?: number): Promise<Message[]>;
  done(ids: readonly string[]): Promise<void>;
  onCommitted(listener: (events: readonly Message[]) => void): () => void;
}

/** Where the in-process bus keeps its dead letters; the embedded composition gives it a store. */
export interface DeadLetterStore {
  add(letter: DeadLetter): Promise<void>;
  list(queue?: string): Promise<DeadLetter[]>;
  get(id: string): Promise<DeadLetter | undefined>;
  remove(id: string): Promise<boolean>;
}
