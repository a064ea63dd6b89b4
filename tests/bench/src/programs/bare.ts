import { readFileSync } from 'node:fs';
import { Agent, createServer, type RequestListener, type Server, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { announce } from '../measure/processes.ts';

// Bare servers of node:http around what is measured: node bare.ts proxy TARGET [DATA_DIRECTORY] | upstream
// With a data directory of the product the proxy speaks HTTPS, with its development certificate.

const options = { keepAliveTimeout: 60_000 };

/** The baseline: node:http, a keep-alive agent, no checks. */
const proxy = (target = '', directory?: string): Server => {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  const pass: RequestListener = (request, response) => {
    const { method, url, headers } = request;
    const upstream = send({ agent, hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  };
  if (directory === undefined) return createServer(options, pass);
  const [cert, key] = ['certificate', 'key'].map((part) => readFileSync(join(directory, `development-${part}.pem`)));
  return createTlsServer({ ...options, cert, key }, pass);
};

const reading = (operationId: string, summary: string, more: readonly object[] = []) => ({
  get: {
    operationId,
    summary,
    security: [{ oauth2: ['contacts:read'] }, ...more],
    'x-service': 'contacts',
    responses: { 200: { description: 'one kilobyte' } },
  },
});

/** A service with responses of 1 KB and a description that a gateway can learn. */
const upstream = (): Server => {
  const body = Buffer.from(JSON.stringify({ status: 'success', details: null, data: { filling: 'x'.repeat(970) } }));
  const description = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'upstream', version: '1.0.0' },
    paths: {
      '/svc/v3/contacts/benchmark': reading('readBenchmark', 'Answers 1 KB'),
      '/svc/v3/contacts/public-benchmark': reading('readPublicBenchmark', 'Answers 1 KB, also to an API key', [
        { apiKey: [] },
      ]),
    },
  });
  const json = { 'Content-Type': 'application/json; charset=utf-8' };
  return createServer(options, (request, response) => {
    if (request.url === '/openapi.json') response.writeHead(200, json).end(description);
    else if (request.url?.startsWith('/health')) response.writeHead(200, json).end('{"status":"ok"}');
    else response.writeHead(200, { ...json, 'Content-Length': body.length }).end(body);
  });
};

const [kind, target, directory] = process.argv.slice(2);
const server = kind === 'proxy' ? proxy(target, directory) : upstream();
server.listen(0, '127.0.0.1', () =>
  announce({ url: `${directory ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
