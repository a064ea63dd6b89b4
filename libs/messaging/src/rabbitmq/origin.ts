import type { Message as Received } from 'amqplib';
import { type Message, Unreadable } from '../port.ts';
import { decode } from './codec.ts';
import { exchangeOf, movesExchange, type Plan } from './names.ts';

/** Where a message was first published: the exchange, which needs its publisher's permission, and the routing key. */
interface Origin {
  readonly exchange: unknown;
  readonly key: unknown;
}

const nowhere: Origin = { exchange: undefined, key: undefined };

/**
 * An entry of `x-death`, the list that the broker writes when it moves a message to another queue, its latest move
 * first.
 */
interface Death {
  readonly count?: unknown;
  readonly exchange?: unknown;
  readonly 'routing-keys'?: readonly unknown[];
}

/** The exchange by which a message came into the queue where its consumer, or the broker, last took it. */
const enteredBy = ({ fields, properties }: Received): Origin => {
  const { exchange, routingKey: key } = fields;
  // The default exchange carries the broker's own moves: out of a retry queue, or of a queue whose consumers it
  // cancelled.
  const death = exchange === '' ? (properties.headers?.['x-death']?.[0] as Death | undefined) : undefined;
  if (!death) return { exchange, key };
  // Moves by this library start a new list, so a publisher started a longer one; brokers before RabbitMQ 4 extend it.
  return death.count === 1 ? { exchange: death.exchange, key: death['routing-keys']?.[0] } : nowhere;
};

/**
 * Where a message of a queue was first published. The queue's consumer or the operator writes it into headers when it
 * moves the message; the headers count only in messages from the queue's own exchange for moves or the default
 * exchange, to which publishers of facts have no permission.
 */
const originOf = (queue: string, received: Received, plan: Plan): Origin => {
  const entered = enteredBy(received);
  if (entered.exchange !== '' && entered.exchange !== movesExchange(queue, plan)) return entered;
  const { 'origin-exchange': exchange, 'origin-key': key } = received.properties.headers ?? {};
  return { exchange, key };
};

/** The headers with which a moved message records where it was first published. */
export const originHeaders = (queue: string, received: Received, plan: Plan): Readonly<Record<string, unknown>> => {
  const { exchange, key } = originOf(queue, received, plan);
  return typeof exchange === 'string' && typeof key === 'string'
    ? { 'origin-exchange': exchange, 'origin-key': key }
    : {};
};

const judged = (message: Message, { exchange, key }: Origin, plan: Plan): Message => {
  if (message.type === key && exchangeOf(message.type, plan) === exchange) return message;
  throw new Unreadable(`a message of another type came by ${exchange} as ${key}`);
};

/**
 * Decodes a message of a queue. @throws {Unreadable} if this library did not encode it, or its type is not that of its
 * exchange: permissions are per exchange, each with one publisher, so the exchange authenticates the publisher.
 */
export const decodeOf = (queue: string, received: Received, plan: Plan): Message =>
  judged(decode(received), originOf(queue, received, plan), plan);

/** Decodes a broadcast, which is never moved. @throws {Unreadable} as {@link decodeOf} */
export const decodeBroadcast = (received: Received, plan: Plan): Message => {
  const { exchange, routingKey: key } = received.fields;
  return judged(decode(received), { exchange, key }, plan);
};
