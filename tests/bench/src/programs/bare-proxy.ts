import { readFileSync } from 'node:fs';
import { Agent, createServer, type RequestListener, request as send } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { announce } from '../measure/child.ts';

// The baseline: node:http (or node:https, given the files of a certificate and its key), a keep-alive agent, and no
// checks.
const [target = '', certFile, keyFile] = process.argv.slice(2);
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
const options = { keepAliveTimeout: 60_000 };
const server =
  certFile === undefined || keyFile === undefined
    ? createServer(options, pass)
    : createSecureServer({ ...options, cert: readFileSync(certFile), key: readFileSync(keyFile) }, pass);
const origin = certFile === undefined ? 'http://127.0.0.1' : 'https://localhost';
server.listen(0, '127.0.0.1', () => announce({ url: `${origin}:${(server.address() as AddressInfo).port}` }));
