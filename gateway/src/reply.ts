import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './routes.ts';

const JSON_TYPE = 'application/json';

/** Up to here, copying a body costs less than writing it apart from its headers. */
const SMALL_BYTES = 16_384;

/** What nearly every reply says, word for word. */
const USUAL = `${JSON_TYPE}; charset=utf-8`;

const isJson = (type: string): boolean =>
  type === JSON_TYPE || (type.startsWith('application/') && type.endsWith('+json'));

/**
 * Whether a reply can be an answer of this interface, by its media type alone: JSON, what the operation's description names, or
 * nothing at all.
 */
export const isOfInterface = (reply: IncomingMessage, method: string, route: Route | undefined): boolean => {
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

/** Joins the service's `Vary` and the gateway's own, which CORS has set. */
const joinVary = (response: ServerResponse, headers: string[]): void => {
  const own = response.getHeader('Vary');
  if (own === undefined) return;
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === 'vary') headers[index + 1] += `, ${String(own)}`;
  }
};

/** Ends the answer with its whole body. */
const endWith = (response: ServerResponse, body: Buffer): void => {
  // As text of one byte per character, which Node joins with the headers: one write to the connection instead of a vector.
  if (body.length < SMALL_BYTES) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
};

/** Sends an answer that is there already, as 200. */
export const sendWhole = (response: ServerResponse, headers: string[], body: Buffer): void => {
  if (response.hasHeader('Vary')) joinVary(response, headers);
  response.writeHead(200, headers);
  endWith(response, body);
};

/**
 * Passes a reply on as it comes, no faster than the client takes it; a whole answer in one piece leaves in one piece. A reply
 * that breaks off breaks off the answer.
 */
export const sendReply = (reply: IncomingMessage, response: ServerResponse, headers: string[]): void => {
  if (response.hasHeader('Vary')) joinVary(response, headers);
  response.writeHead(reply.statusCode ?? 502, headers);
  const length = Number(reply.headers['content-length'] ?? -1);
  reply.on('data', (chunk: Buffer) => {
    if (response.destroyed) return;
    if (chunk.length === length) {
      endWith(response, chunk);
    } else if (!response.write(chunk)) {
      reply.pause();
      response.once('drain', () => reply.resume());
    }
  });
  reply.on('end', () => {
    if (!response.writableEnded && !response.destroyed) response.end();
  });
  reply.on('close', () => {
    if (!reply.complete) response.destroy();
  });
};
