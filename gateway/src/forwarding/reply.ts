import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../exchange/route.ts';

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

/** Sends an answer that is there already. */
export const sendWhole = (response: ServerResponse, status: number, headers: string[], body: Buffer): void => {
  if (response.hasHeader('Vary')) joinVary(response, headers);
  response.writeHead(status, headers);
  endWith(response, body);
};

/**
 * Passes a reply on as it comes, no faster than the client takes it; a short one whose length is known leaves in one piece. `broken` hears
 * of a reply that ends before it is whole, while the response has not ended.
 */
export const sendReply = (
  reply: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  broken: () => void,
): void => {
  if (response.hasHeader('Vary')) joinVary(response, headers);
  const status = reply.statusCode ?? 502;
  const length = Number(reply.headers['content-length'] ?? -1);
  // Pieces of a short reply: as long as nothing is out, one that breaks off can be answered with an error.
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
  reply.on('close', () => {
    if (!reply.complete && !response.writableEnded && !response.destroyed) broken();
  });
};
