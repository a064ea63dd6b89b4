import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../exchange/exchange.ts';
import { ForeignReply } from './failure.ts';

const JSON_TYPE = 'application/json';

/** Copying a smaller body is cheaper than writing it separately from its headers. */
const SMALL_BYTES = 16_384;

const USUAL = `${JSON_TYPE}; charset=utf-8`;

/** Checks status and media type. @throws {ForeignReply} if the response cannot belong to this interface */
export function requireInterface(reply: IncomingMessage, method: string | undefined, route: Route | undefined): void {
  const { statusCode = 0 } = reply;
  if (statusCode < 200 || statusCode > 599) throw new ForeignReply(`its status is ${statusCode}`);
  if (!hasAllowedType(route, reply, method)) throw new ForeignReply('its media type is not one of the operation');
}

/** The type may be JSON, one that the operation has, or none without a body. */
const hasAllowedType = (
  route: Route | undefined,
  { statusCode, headers }: IncomingMessage,
  method?: string,
): boolean => {
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

export function isStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** Joins all in one field without repetitions, with the gateway's own. */
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

export function sendWhole(response: ServerResponse, status: number, headers: string[], body: Buffer): void {
  if (response.hasHeader('Vary')) joinVary(headers, response.getHeader('Vary'));
  response.writeHead(status, headers);
  endWith(response, body);
}

/** As latin1 text Node joins the body with the headers: one write to the connection. */
const endWith = (response: ServerResponse, body: Buffer): void => {
  if (body.length < SMALL_BYTES) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
};

interface Forwarded {
  readonly response: ServerResponse;
  /** Names and values in turn. */
  readonly headers: string[];
  /** Answers with an error what fails in `act` because of the reply. */
  readonly guard: (act: () => void) => void;
}

/**
 * With backpressure; a short response of known length is sent in one write. Calls `broken` if the upstream response
 * ends early while the client's has not ended.
 */
export function sendReply(reply: IncomingMessage, { response, headers, guard }: Forwarded, onBroken: () => void): void {
  if (response.hasHeader('Vary')) joinVary(headers, response.getHeader('Vary'));
  const status = reply.statusCode ?? 502;
  const length = Number(reply.headers['content-length'] ?? -1);
  // Until something is sent, a broken response can still be answered with an error.
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
    if (!response.writableEnded && !response.destroyed) onBroken();
  });
}

/** No error of the point of sale is larger. */
const MOST_BYTES = 65_536;

/** A family B 500; any other 5xx is foreign: an intermediary sent it. Buffered, because it is rare and small. */
export function relayFailure(reply: IncomingMessage, to: Forwarded): void {
  const { response, headers, guard } = to;
  const { statusCode } = reply;
  const refuse = (): void =>
    guard(() => {
      throw createNoFailure();
    });
  if (statusCode === 500 && response.req.method === 'HEAD') {
    sendReply(reply, to, refuse);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw createNoFailure();
    chunks.push(chunk);
  };
  const end = (): void => {
    const body = Buffer.concat(chunks);
    if (statusCode !== 500 || !reportsConsequences(body)) throw createNoFailure();
    sendWhole(response, 500, headers, body);
  };
  reply.on('data', (chunk: Buffer) => guard(() => take(chunk)));
  reply.on('end', () => guard(end));
  reply.on('error', refuse);
}

const createNoFailure = (): ForeignReply => new ForeignReply('it is no error of the point of sale');

const reportsConsequences = (body: Buffer): boolean => {
  try {
    const { success, errorCode, userLoggedOut, orderCancelled } = JSON.parse(body.toString('utf8'));
    const isError = success === false && typeof errorCode === 'string';
    return isError && typeof userLoggedOut === 'boolean' && typeof orderCancelled === 'boolean';
  } catch {
    return false;
  }
};
