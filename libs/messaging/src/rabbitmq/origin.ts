import type { Message as Received } from 'amqplib';
import { type Message, Unreadable } from '../port.ts';
import { decode } from './codec.ts';
import { exchangeOf, movesExchange, type Plan } from './names.ts';

/**
 * What a message was published to at first: the exchange, for which its publisher needed a right, and the routing key.
 */
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
  // By the default exchange come the broker's own moves: out of a retry queue, or of a queue whose consumers it killed.
  const death = exchange === '' ? (properties.headers?.['x-death']?.[0] as Death | undefined) : undefined;
  if (!death) return { exchange, key };
  // What we move begins a new list, so one that counts further was begun by a publisher; brokers before RabbitMQ 4 go
  // on with it.
  return death.count === 1 ? { exchange: death.exchange, key: death['routing-keys']?.[0] } : nowhere;
};

/**
 * What a message of a queue was published to at first. Who moves one (the queue's consumer, the operator) writes it
 * into headers; they count only in what came by the queue's own exchange for moves or by the default exchange, to which
 * no publisher of facts may write.
 */
const originOf = (queue: string, received: Received, plan: Plan): Origin => {
  const entered = enteredBy(received);
  if (entered.exchange !== '' && entered.exchange !== movesExchange(queue, plan)) return entered;
  const { 'origin-exchange': exchange, 'origin-key': key } = received.properties.headers ?? {};
  return { exchange, key };
};

/** The headers by which a message that is moved says what it was published to at first. */
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
 * Decodes a message of a queue. @throws {Unreadable} if it is none of ours, or was published under another type than it
 * says: rights are given for exchanges, each of which has one publisher, so the exchange says whose word it is.
 */
export const decodeOf = (queue: string, received: Received, plan: Plan): Message =>
  judged(decode(received), originOf(queue, received, plan), plan);

/** Decodes a broadcast, which nobody moves. @throws {Unreadable} as {@link decodeOf} */
export const decodeBroadcast = (received: Received, plan: Plan): Message => {
  const { exchange, routingKey: key } = received.fields;
  return judged(decode(received), { exchange, key }, plan);
};
