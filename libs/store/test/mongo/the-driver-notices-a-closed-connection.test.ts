import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';

/** The driver's connection, as far as this test uses it. */
interface Connection {
  command(namespace: object, command: object): Promise<unknown>;
}

const requireOf = createRequire(import.meta.url);
const { Connection: DriverConnection } = requireOf('mongodb/lib/cmap/connection.js') as {
  Connection: new (socket: Socket, options: object) => Connection;
};
const { ns } = requireOf('mongodb/lib/utils.js') as { ns(name: string): object };

/**
 * Without the patch (libs/store/patches) the command never ends, nor the check of the server that it may be: all calls
 * fail from then on, until the process is started again.
 */
test('a command on a connection whose socket is destroyed and has not told so yet fails', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const hostAddress = { toString: () => `127.0.0.1:${port}` };
  const connection = new DriverConnection(socket, { id: 1, generation: 0, hostAddress, monitorCommands: false });
  socket.destroy();
  await expect(connection.command(ns('admin.$cmd'), { ping: 1 })).rejects.toThrow(/closed/);
  server.close();
});
