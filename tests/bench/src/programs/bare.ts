import { readFileSync } from 'node:fs';
import { Agent, createServer, type Server, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { announce } from '../measure/processes.ts';

// Bare servers of node:http around what is measured: node bare.ts proxy TARGET DATA_DIRECTORY | upstream

const options = { keepAliveTimeout: 60_000 };

/** The baseline: HTTPS with the product's development certificate, a keep-alive agent, no checks. */
const proxy = (target = '', directory = ''): Server => {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  const [cert, key] = ['certificate', 'key'].map((part) => readFileSync(join(directory, `development-${part}.pem`)));
  return createTlsServer({ ...options, cert, key }, (request, response) => {
    const { method, url, headers } = request;
    const upstream = send({ agent, hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
};

/** A service with responses of 1 KB. */
const upstream = (): Server => {
  const body = Buffer.from(JSON.stringify({ status: 'success', details: null, data: { filling: 'x'.repeat(970) } }));
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
  return createServer(options, (_request, response) => response.writeHead(200, headers).end(body));
};

const [kind, target, directory] = process.argv.slice(2);
const server = kind === 'proxy' ? proxy(target, directory) : upstream();
server.listen(0, '127.0.0.1', () =>
  announce({ url: `${directory ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
