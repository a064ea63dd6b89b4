import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createServiceClient } from '../../src/index.ts';

const credentials = { tokenFor: async () => 'token' };
const api = { service: 'catalog', operations: { look: { method: 'GET', path: '/internal/look' } } } as const;

interface Look {
  readonly look: { readonly parameters: { readonly query?: never; readonly path?: never }; readonly responses: object };
}

test('calls share a connection that is renewed, so that a new instance behind the same name gets its share', async () => {
  const connections = new Map<Socket, number>();
  const server = createServer(({ socket }, response) => {
    connections.set(socket, (connections.get(socket) ?? 0) + 1);
    response.end(JSON.stringify({ status: 'success', details: null, data: {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createServiceClient<Look>(api, { url, credentials, renewedAfterMs: 100, logger: { warn() {} } });
  const earliest = Date.now() + 140;
  while (connections.size < 4) await client.call('opera', 'look');
  const end = Date.now();
  client.close();
  server.close();
  expect(end).toBeGreaterThanOrEqual(earliest);
  const [first = 0] = connections.values();
  expect(first).toBeGreaterThan(1);
});
