import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveLocally } from './serve.ts';

/** What was sent to a receiver. */
export interface Posted<Body> {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * A receiver of JSON by POST, at a path that nobody else knows (and `below` it). It refuses everything else: programs
 * of another suite still send to the port that a server of theirs had.
 */
export async function openPostbox<Body>(take: (posted: Posted<Body>, response: ServerResponse) => void, below = '') {
  const path = `/${randomUUID()}`;
  const { url, close } = await serveLocally(async (request, response) => {
    const refuse = (status: number) => void response.writeHead(status).end();
    if (request.method !== 'POST' || request.url !== path + below) return refuse(404);
    const sent = await text(request).catch(() => '');
    const body = parse(sent) as Body | undefined;
    if (body === undefined) return refuse(400);
    response.on('error', () => undefined);
    take({ headers: request.headers, text: sent, body }, response);
  });
  return { url: url + path, close };
}
