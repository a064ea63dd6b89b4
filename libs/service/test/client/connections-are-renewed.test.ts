import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createPeer } from '../../src/client/peer.ts';

const credentials = { tokenFor: async () => 'token' };
const call = { operation: 'look', method: 'GET', path: '/internal/look' } as const;

test('calls share a connection, which is renewed in time: a new instance behind the same name is to get its share', async () => {
  const connections = new Map<Socket, number>();
  const server = createServer(({ socket }, response) => {
    connections.set(socket, (connections.get(socket) ?? 0) + 1);
    response.end(JSON.stringify({ status: 'success', details: null, data: {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peer = createPeer({ name: 'catalog', url, credentials, renewedAfterMs: 100 });
  const earliest = Date.now() + 140;
  while (connections.size < 4) await peer.call('opera', call);
  const end = Date.now();
  peer.close();
  server.close();
  expect(end).toBeGreaterThanOrEqual(earliest);
  const [first = 0] = connections.values();
  expect(first).toBeGreaterThan(1);
});
