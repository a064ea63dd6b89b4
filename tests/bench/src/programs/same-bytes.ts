import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from '../measure/child.ts';

/** Recorded responses by method and target. */
export type Recorded = Readonly<
  Record<string, { readonly status: number; readonly headers: readonly string[]; readonly base64: string }>
>;

// A server that only sends recorded responses, byte for byte.
const [file = ''] = process.argv.slice(2);
const recorded = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Recorded).map(([name, { status, headers, base64 }]) => [
    name,
    { status, headers: [...headers], body: Buffer.from(base64, 'base64') },
  ]),
);
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const answer = recorded.get(`${request.method} ${request.url}`);
  request.resume();
  if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1', () => announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
