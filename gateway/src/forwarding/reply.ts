import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../exchange/exchange.ts';
import { ForeignReply } from './failure.ts';

const JSON_TYPE = 'application/json';

/** Below this size, copying a body is cheaper than writing it separately from its headers. */
const SMALL_BYTES = 16_384;

/** The content type of nearly every response. */
const USUAL = `${JSON_TYPE}; charset=utf-8`;

/** Checks that a response can belong to this interface, by status and media type. @throws {ForeignReply} if not */
export function requireInterface(reply: IncomingMessage, method: string | undefined, route: Route | undefined): void {
  const { statusCode = 0 } = reply;
  if (statusCode < 200 || statusCode > 599) throw new ForeignReply(`its status is ${statusCode}`);
  if (!hasTypeOf(route, reply, method)) throw new ForeignReply('its media type is not one of the operation');
}

/** Whether the body of a response can belong to this interface: JSON, a type that the operation has, or no body. */
const hasTypeOf = (route: Route | undefined, { statusCode, headers }: IncomingMessage, method?: string): boolean => {
  const type = headers['content-type'];
  if (type === USUAL) return true;
  if (type === undefined) {
    return method === 'HEAD' || statusCode === 204 || statusCode === 304 || headers['content-length'] === '0';
  }
  const mark = type.indexOf(';');
  const essence = (mark < 0 ? type : type.slice(0, mark)).trim().toLowerCase();
  return isJson(essence) || route?.mediaTypes === 'any' || (route?.mediaTypes.has(essence) ?? false);
};

const isJson = (type: string): boolean =>
  type === JSON_TYPE || (type.startsWith('application/') && type.endsWith('+json'));

/** Whether a response of the interface has no end of its own. */
export function isStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** Joins every `Vary` among the headers, and the gateway's own, in one field without repetitions. */
export function joinVary(headers: string[], own?: ReturnType<ServerResponse['getHeader']>): void {
  const names = own === undefined ? [] : namesIn(String(own));
  let first = -1;
  for (let index = headers.length - 2; index >= 0; index -= 2) {
    if (headers[index]?.toLowerCase() !== 'vary') continue;
    names.unshift(...namesIn(headers[index + 1] ?? ''));
    if (first >= 0) headers.splice(first, 2);
    first = index;
  }
  if (first >= 0) headers[first + 1] = [...new Set(names)].join(', ');
}

const namesIn = (vary: string): string[] => vary.split(',').map((name) => name.trim());

/** Sends a complete response. */
export function sendWhole(response: ServerResponse, status: number, headers: string[], body: Buffer): void {
  if (response.hasHeader('Vary')) joinVary(headers, response.getHeader('Vary'));
  response.writeHead(status, headers);
  endWith(response, body);
}

/** Ends the response with its whole body. */
const endWith = (response: ServerResponse, body: Buffer): void => {
  // As latin1 text, which Node joins with the headers: one write to the connection instead of a vector.
  if (body.length < SMALL_BYTES) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
};

/** Where a reply is forwarded to. */
interface Forwarded {
  readonly response: ServerResponse;
  /** Names and values in turn. */
  readonly headers: string[];
  /** Answers with an error what fails in `act` because of the reply. */
  readonly guard: (act: () => void) => void;
}

/**
 * Forwards a response with backpressure; a short one of known length is sent in one write. Calls `broken` if the
 * upstream response ends early while the client's has not ended.
 */
export function sendReply(reply: IncomingMessage, { response, headers, guard }: Forwarded, broken: () => void): void {
  if (response.hasHeader('Vary')) joinVary(headers, response.getHeader('Vary'));
  const status = reply.statusCode ?? 502;
  const length = Number(reply.headers['content-length'] ?? -1);
  // Chunks of a short response: until something is sent, a broken response can still be answered with an error.
  let held: Buffer[] | undefined;
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(status, headers);
  };
  const take = (chunk: Buffer): void => {
    if (response.destroyed) return;
    if (chunk.length === length) {
      begin();
      endWith(response, chunk);
    } else if (length >= 0 && length < SMALL_BYTES) {
      held ??= [];
      held.push(chunk);
    } else {
      begin();
      if (response.write(chunk)) return;
      reply.pause();
      response.once('drain', () => reply.resume());
    }
  };
  const end = (): void => {
    if (response.writableEnded || response.destroyed) return;
    begin();
    if (held) endWith(response, Buffer.concat(held));
    else response.end();
  };
  reply.on('data', (chunk: Buffer) => guard(() => take(chunk)));
  reply.on('end', () => guard(end));
  reply.on('error', () => {
    if (!response.writableEnded && !response.destroyed) broken();
  });
}

/** Above the size of any error of the point of sale. */
const MOST_BYTES = 65_536;

/**
 * Forwards a 5xx of the point of sale if it is a family B 500; any other is foreign, because an intermediary sent it.
 * The response is buffered first, because it is rare and small.
 */
export function relayFailure(reply: IncomingMessage, to: Forwarded): void {
  const { response, headers, guard } = to;
  const { statusCode } = reply;
  const refuse = (): void =>
    guard(() => {
      throw noFailure();
    });
  if (statusCode === 500 && response.req.method === 'HEAD') {
    sendReply(reply, to, refuse);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw noFailure();
    chunks.push(chunk);
  };
  const end = (): void => {
    const body = Buffer.concat(chunks);
    if (statusCode !== 500 || !reportsConsequences(body)) throw noFailure();
    sendWhole(response, 500, headers, body);
  };
  reply.on('data', (chunk: Buffer) => guard(() => take(chunk)));
  reply.on('end', () => guard(end));
  reply.on('error', refuse);
}

const noFailure = (): ForeignReply => new ForeignReply('it is no error of the point of sale');

/** Whether the body is a 500 of family B with its two consequence members. */
const reportsConsequences = (body: Buffer): boolean => {
  try {
    const { success, errorCode, userLoggedOut, orderCancelled } = JSON.parse(body.toString('utf8'));
    const isError = success === false && typeof errorCode === 'string';
    return isError && typeof userLoggedOut === 'boolean' && typeof orderCancelled === 'boolean';
  } catch {
    return false;
  }
};
