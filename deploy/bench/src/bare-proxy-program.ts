import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tell } from './child.ts';

// The yardstick: node:http, a keep-alive agent, and not one check.
const [target = ''] = process.argv.slice(2);
const { hostname, port } = new URL(target);
const agent = new Agent({ keepAlive: true });
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { method, url, headers } = request;
  const upstream = send({ agent, hostname, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
}).listen(0, '127.0.0.1', () => tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
