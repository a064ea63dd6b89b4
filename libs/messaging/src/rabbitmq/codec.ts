import { createHash } from 'node:crypto';
import type { Options, Message as Received } from 'amqplib';
import { deriveLetterId } from '../attempts.ts';
import { type DeadLetter, type Message, Unreadable } from '../port.ts';
import { nameExchange, nameMovesExchange, type Plan } from './names.ts';

/** A message on the wire: the body is the whole message; the properties are for brokers and operators. */
export interface Wire {
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

export function encode(message: Message): Wire {
  return {
    content: Buffer.from(JSON.stringify(message)),
    properties: {
      contentType: 'application/json',
      messageId: message.id,
      type: message.type,
      timestamp: Math.floor(Date.parse(message.occurredAt) / 1000),
      headers: {
        version: message.version,
        ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
      },
    },
  };
}

/** The same message for another queue: its body unchanged, this library's headers replaced, the broker's removed. */
export function forward({ content, properties }: Received, headers: Readonly<Record<string, unknown>>): Wire {
  const { version, traceparent } = properties.headers ?? {};
  const own = { ...(version === undefined ? {} : { version }), ...(traceparent === undefined ? {} : { traceparent }) };
  const { contentType, messageId, type, timestamp } = properties;
  return { content, properties: { contentType, messageId, type, timestamp, headers: { ...own, ...headers } } };
}

/** Decodes a message. @throws {Unreadable} if this library did not encode it. */
export function decode({ content }: Pick<Received, 'content'>): Message {
  let body: unknown;
  try {
    body = JSON.parse(content.toString());
  } catch {
    throw new Unreadable('the body is not JSON');
  }
  if (!isMessage(body)) throw new Unreadable('the body is not a message');
  return body;
}

const isMessage = (body: unknown): body is Message => {
  if (typeof body !== 'object' || body === null) return false;
  const { id, type, key, version, institution, occurredAt, data } = body as Record<string, unknown>;
  const texts = [id, type, key, institution, occurredAt].every((one) => typeof one === 'string');
  return texts && typeof version === 'number' && typeof data === 'object' && data !== null;
};

export function readAttempt({ properties }: Received): number {
  const attempt: unknown = properties.headers?.attempt;
  return typeof attempt === 'number' && attempt >= 1 ? attempt : 1;
}

/** Reads a dead letter, including one that the broker moved. */
export function toDeadLetter(queue: string, received: Received): DeadLetter {
  const headers = received.properties.headers ?? {};
  const death = headers['x-death']?.[0];
  const message = readable(received);
  const since: unknown = headers['dead-since'] ?? timeOf(death);
  return {
    id: deriveLetterId(queue, message.id),
    queue,
    message,
    reason: String(headers.reason ?? death?.reason ?? 'unknown'),
    attempts: readAttempt(received),
    deadSince: typeof since === 'string' ? since : message.occurredAt,
  };
}

/** When the broker moved it; undefined where a publisher wrote the list, which older brokers extend. */
const timeOf = (death: { readonly time?: { readonly value?: unknown } } | undefined): string | undefined => {
  const at = new Date(Number(death?.time?.value) * 1000);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** The message, or a substitute with the bytes of an unreadable one. */
const readable = (received: Received): Message => {
  try {
    return decode(received);
  } catch {
    const { content, properties } = received;
    const ownId: unknown = properties.messageId;
    return {
      id:
        typeof ownId === 'string' && ownId !== ''
          ? ownId
          : createHash('sha256').update(content).digest('hex').slice(0, 32),
      type: 'unreadable',
      key: '',
      version: 0,
      institution: '',
      occurredAt: new Date(0).toISOString(),
      data: { content: content.toString('base64') },
    };
  }
};

/** Where a message was first published: the exchange, which needs its publisher's permission, and the routing key. */
interface Origin {
  readonly exchange: unknown;
  readonly key: unknown;
}

const nowhere: Origin = { exchange: undefined, key: undefined };

/** Of `x-death`, which the broker writes when it moves a message to another queue, its latest move first. */
interface Death {
  readonly count?: unknown;
  readonly exchange?: unknown;
  readonly 'routing-keys'?: readonly unknown[];
}

/** The headers with which a moved message records where it was first published. */
export function buildOriginHeaders(queue: string, received: Received, plan: Plan): Readonly<Record<string, unknown>> {
  const { exchange, key } = originOf(queue, received, plan);
  return typeof exchange === 'string' && typeof key === 'string'
    ? { 'origin-exchange': exchange, 'origin-key': key }
    : {};
}

/**
 * From headers that whoever moved it wrote. They count only from the queue's exchange for moves or the default one, to
 * which publishers of facts have no permission.
 */
const originOf = (queue: string, received: Received, plan: Plan): Origin => {
  const entered = enteredBy(received);
  if (entered.exchange !== '' && entered.exchange !== nameMovesExchange(queue, plan)) return entered;
  const { 'origin-exchange': exchange, 'origin-key': key } = received.properties.headers ?? {};
  return { exchange, key };
};

/** The exchange by which a message came into the queue where its consumer, or the broker, last took it. */
const enteredBy = ({ fields, properties }: Received): Origin => {
  const { exchange, routingKey: key } = fields;
  // The default exchange carries the broker's own moves: from a retry queue, or one whose consumers it cancelled.
  const death = exchange === '' ? (properties.headers?.['x-death']?.[0] as Death | undefined) : undefined;
  if (!death) return { exchange, key };
  // Moves by this library start a new list, so a publisher started a longer one; brokers before RabbitMQ 4 extend it.
  return death.count === 1 ? { exchange: death.exchange, key: death['routing-keys']?.[0] } : nowhere;
};

/** An exchange has one publisher, which its permission authenticates. @throws {Unreadable} if the type is of another */
export function decodeDelivery(queue: string, received: Received, plan: Plan): Message {
  return requireOrigin(decode(received), originOf(queue, received, plan), plan);
}

const requireOrigin = (message: Message, { exchange, key }: Origin, plan: Plan): Message => {
  if (message.type === key && nameExchange(message.type, plan) === exchange) return message;
  throw new Unreadable(`a message of another type came by ${exchange} as ${key}`);
};
