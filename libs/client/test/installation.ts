import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '@boxoffice/client';
import { afterAll } from '@jest/globals';

/** A request that the fake received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer: `null` breaks the connection instead. */
export type Reply =
  | { readonly http?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | ((response: ServerResponse) => void)
  | null;

/** An envelope of a success. */
export function createSuccessReply(data: unknown, headers: Record<string, string> = {}): Reply {
  return {
    headers,
    body: { status: 'success', details: null, data },
  };
}

/** An envelope of a refusal. */
export function createRefusalReply(
  http: number,
  status: string,
  more: Record<string, string> = {},
  data: unknown = null,
): Reply {
  return {
    http,
    headers: { 'x-request-id': 'req-1', ...more },
    body: { status, details: `because of ${status}`, data },
  };
}

const open: Server[] = [];
afterAll(async () => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
});

/**
 * Starts a fake installation, which answers what a test says and ends with the tests, and makes a client of it; the
 * `count` of an answer is that of earlier requests of the same path.
 */
export async function startInstallation(answer: (received: Received, count: number) => Reply | Promise<Reply>) {
  const received: Received[] = [];
  // Nobody else knows it: programs of another suite still send to a port that a server of theirs had.
  const own = `/${randomUUID()}`;
  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    if (!request.url?.startsWith(`${own}/`)) return response.writeHead(404).end();
    const { pathname, searchParams } = new URL(request.url.slice(own.length), 'http://fake');
    const one: Received = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      body: await text(request),
    };
    const count = received.filter(({ path }) => path === pathname).length;
    received.push(one);
    const reply = await answer(one, count);
    if (reply === null) request.socket.destroy();
    else if (typeof reply === 'function') reply(response);
    else {
      const { http = 200, headers = {}, body } = reply;
      response.writeHead(http, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${own}`;
  return { baseUrl, received, client: createClient({ baseUrl, accessToken: 'token', maxDelayMs: 5 }) };
}
