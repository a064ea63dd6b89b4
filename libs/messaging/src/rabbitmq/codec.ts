import { createHash } from 'node:crypto';
import type { Options, Message as Received } from 'amqplib';
import { letterId } from '../attempts.ts';
import { type DeadLetter, type Message, Unreadable } from '../port.ts';

/** A message on the wire: the body is the whole message; the properties are for brokers and operators. */
export interface Wire {
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

/** Encodes a message. */
export const encode = (message: Message): Wire => ({
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
});

/** The same message for another queue: its body unchanged, this library's headers replaced, the broker's removed. */
export const forward = ({ content, properties }: Received, headers: Readonly<Record<string, unknown>>): Wire => {
  const { version, traceparent } = properties.headers ?? {};
  const own = { ...(version === undefined ? {} : { version }), ...(traceparent === undefined ? {} : { traceparent }) };
  const { contentType, messageId, type, timestamp } = properties;
  return { content, properties: { contentType, messageId, type, timestamp, headers: { ...own, ...headers } } };
};

/** Decodes a message. @throws {Unreadable} if this library did not encode it. */
export const decode = ({ content }: Pick<Received, 'content'>): Message => {
  let body: unknown;
  try {
    body = JSON.parse(content.toString());
  } catch {
    throw new Unreadable('the body is not JSON');
  }
  if (!isMessage(body)) throw new Unreadable('the body is not a message');
  return body;
};

const isMessage = (body: unknown): body is Message => {
  if (typeof body !== 'object' || body === null) return false;
  const { id, type, key, version, institution, occurredAt, data } = body as Record<string, unknown>;
  const texts = [id, type, key, institution, occurredAt].every((one) => typeof one === 'string');
  return texts && typeof version === 'number' && typeof data === 'object' && data !== null;
};

/** The attempt of a delivery: 1, or the retry's header. */
export const attemptOf = ({ properties }: Received): number => {
  const attempt: unknown = properties.headers?.attempt;
  return typeof attempt === 'number' && attempt >= 1 ? attempt : 1;
};

/** When the broker moved it; undefined where a publisher wrote the list, which older brokers extend. */
const timeOf = (death: { readonly time?: { readonly value?: unknown } } | undefined): string | undefined => {
  const at = new Date(Number(death?.time?.value) * 1000);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** Reads a dead letter, including one that the broker moved. */
export const letterOf = (queue: string, received: Received): DeadLetter => {
  const headers = received.properties.headers ?? {};
  const death = headers['x-death']?.[0];
  const message = readable(received);
  const since: unknown = headers['dead-since'] ?? timeOf(death);
  return {
    id: letterId(queue, message.id),
    queue,
    message,
    reason: String(headers.reason ?? death?.reason ?? 'unknown'),
    attempts: attemptOf(received),
    deadSince: typeof since === 'string' ? since : message.occurredAt,
  };
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
