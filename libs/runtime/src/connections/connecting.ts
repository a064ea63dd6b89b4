import type { Socket } from 'node:net';

/** Nothing was sent. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Destroys the socket with a {@link ConnectTimeout} unless it is connected within so many milliseconds. */
export function limitConnecting(socket: Socket, ms: number): void {
  if (!socket.connecting) return;
  const end = () => {
    if (socket.connecting) socket.destroy(new ConnectTimeout());
  };
  // A process that stood still first reads which connections were established.
  const timer = setTimeout(() => setImmediate(end), ms);
  const stopTimer = () => clearTimeout(timer);
  socket.once('connect', stopTimer).once('close', stopTimer);
}
