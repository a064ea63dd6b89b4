import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from '../measure/child.ts';

// A service with responses of 1 KB and a description that a gateway can learn.
const body = Buffer.from(JSON.stringify({ status: 'success', details: null, data: { filling: 'x'.repeat(970) } }));
const description = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'upstream', version: '1.0.0' },
  paths: {
    '/svc/v3/contacts/benchmark': {
      get: {
        operationId: 'readBenchmark',
        summary: 'Answers 1 KB',
        security: [{ oauth2: ['contacts:read'] }],
        'x-service': 'contacts',
        responses: { 200: { description: 'one kilobyte' } },
      },
    },
    '/svc/v3/contacts/public-benchmark': {
      get: {
        operationId: 'readPublicBenchmark',
        summary: 'Answers 1 KB, also to an API key',
        security: [{ oauth2: ['contacts:read'] }, { apiKey: [] }],
        'x-service': 'contacts',
        responses: { 200: { description: 'one kilobyte' } },
      },
    },
  },
});
const json = { 'Content-Type': 'application/json; charset=utf-8' };
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === '/openapi.json') response.writeHead(200, json).end(description);
  else if (request.url?.startsWith('/health')) response.writeHead(200, json).end('{"status":"ok"}');
  else response.writeHead(200, { ...json, 'Content-Length': body.length }).end(body);
}).listen(0, '127.0.0.1', () => announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
