import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../exchange/exchange.ts';

const JSON_TYPE = 'application/json';

/** Below this size, copying a body is cheaper than writing it separately from its headers. */
const SMALL_BYTES = 16_384;

/** The content type of nearly every response. */
const USUAL = `${JSON_TYPE}; charset=utf-8`;

const isJson = (type: string): boolean =>
  type === JSON_TYPE || (type.startsWith('application/') && type.endsWith('+json'));

/**
 * Whether a response can belong to this interface, by media type: JSON, a type that the operation's description lists,
 * or no body.
 */
export const isOfInterface = (
  reply: IncomingMessage,
  method: string | undefined,
  route: Route | undefined,
): boolean => {
  const { statusCode, headers } = reply;
  const type = headers['content-type'];
  if (type === USUAL) return true;
  if (type === undefined) {
    return method === 'HEAD' || statusCode === 204 || statusCode === 304 || headers['content-length'] === '0';
  }
  const mark = type.indexOf(';');
  const essence = (mark < 0 ? type : type.slice(0, mark)).trim().toLowerCase();
  return isJson(essence) || (route?.mediaTypes.has(essence) ?? false);
};

/** Whether a response of the interface has no end of its own. */
export const isStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false;

const namesIn = (vary: string): string[] => vary.split(',').map((name) => name.trim());

/** Joins every `Vary` among the headers, and the gateway's own, in one field without repetitions. */
export const joinVary = (headers: string[], own?: ReturnType<ServerResponse['getHeader']>): void => {
  const names = own === undefined ? [] : namesIn(String(own));
  let first = -1;
  for (let index = headers.length - 2; index >= 0; index -= 2) {
    if (headers[index]?.toLowerCase() !== 'vary') continue;
    names.unshift(...namesIn(headers[index + 1] ?? ''));
    if (first >= 0) headers.splice(first, 2);
    first = index;
  }
  if (first >= 0) headers[first + 1] = [...new Set(names)].join(', ');
};

/** Ends the response with its whole body. */
const endWith = (response: ServerResponse, body: Buffer): void => {
  // As latin1 text, which Node joins with the headers: one write to the connection instead of a vector.
  if (body.length < SMALL_BYTES) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
};

/** Sends a complete response. */
export const sendWhole = (response: ServerResponse, status: number, headers: string[], body: Buffer): void => {
  if (response.hasHeader('Vary')) joinVary(headers, response.getHeader('Vary'));
  response.writeHead(status, headers);
  endWith(response, body);
};

/**
 * Forwards a response with backpressure; a short one of known length is sent in one write. Calls `broken` if the
 * upstream response ends early while the client's has not ended.
 */
export const sendReply = (
  reply: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  broken: () => void,
): void => {
  if (response.hasHeader('Vary')) joinVary(headers, response.getHeader('Vary'));
  const status = reply.statusCode ?? 502;
  const length = Number(reply.headers['content-length'] ?? -1);
  // Chunks of a short response: until something is sent, a broken response can still be answered with an error.
  let held: Buffer[] | undefined;
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(status, headers);
  };
  reply.on('data', (chunk: Buffer) => {
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
  });
  reply.on('end', () => {
    if (response.writableEnded || response.destroyed) return;
    begin();
    if (held) endWith(response, Buffer.concat(held));
    else response.end();
  });
  reply.on('error', () => {
    if (!response.writableEnded && !response.destroyed) broken();
  });
};

/** Above the size of any error of the point of sale. */
const MOST_BYTES = 65_536;

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

/**
 * Forwards a 5xx of the point of sale if it is a family B 500; `foreign` answers any other, which an intermediary sent.
 * The response is buffered first, because it is rare and small.
 */
export const relayFailure = (
  reply: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  foreign: () => void,
): void => {
  const { statusCode } = reply;
  if (statusCode === 500 && response.req.method === 'HEAD') {
    sendReply(reply, response, headers, foreign);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  reply.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) {
      chunks.push(chunk);
      return;
    }
    foreign();
    reply.destroy();
  });
  reply.on('error', foreign);
  reply.on('end', () => {
    const body = Buffer.concat(chunks);
    if (statusCode === 500 && reportsConsequences(body)) sendWhole(response, 500, headers, body);
    else foreign();
  });
};
