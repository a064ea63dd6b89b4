import type { Server } from 'node:http';
import { createServer, Server as NetServer, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Listening sockets of a busy port. The event loop accepts one connection of each per turn (libuv 1.51 and newer), so
 * one socket accepts no more connections a second than the loop has turns. The queue of a single socket (511) is then
 * full within half a second of a flood, and clients whose connections it does not take try again only after 1, 3 and
 * 7 seconds. The system divides new connections between the sockets.
 */
const BUSY_SOCKETS = 16;

/** Where sockets listen. */
export interface Place {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** The sockets on which a server accepts connections. */
export interface ListeningSockets {
  readonly port: number;
  /** Accepts no more; resolves when every accepted connection is closed. */
  close(): Promise<void>;
  /** Closes the connections whose clients have sent nothing yet. */
  closeSilent(): void;
}

/** How a port takes connections. */
export interface Admission {
  /** At most so many are open at once; further ones are closed. */
  readonly most: number;
  /** See ListenOptions. */
  readonly isBusy: boolean;
  readonly admit?: (socket: Socket) => boolean;
  /** Milliseconds in which a client must have sent something; see `heard`. */
  readonly silentMs: number;
}

const openServers = new Map<NetServer, number>();

/** The ports on which this process listens. */
export const listeningPorts = (): ReadonlySet<number> => new Set(openServers.values());

const listening = (server: NetServer, options: Place & { readonly reusePort?: boolean }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      // A connection that could not be accepted concerns its client only.
      server.on('error', () => undefined);
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : options.port;
      openServers.set(server, port);
      server.once('close', () => openServers.delete(server));
      resolve(port);
    });
  });

// Node's own HTTP close would cut idle connections first, on which a request may be in flight.
const closed = (server: NetServer): Promise<void> =>
  new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });

/**
 * The port at `place`, if no program listens on it. Sockets that share a port would share it with another program of
 * the same user, too. Rejects with the system's error.
 */
const freePort = async (place: Place): Promise<number> => {
  const alone = createServer();
  const port = await listening(alone, place);
  await closed(alone);
  return port;
};

/** Prepends a decision to the server's handling of a new connection. */
const admitBy = (server: Server, admit: (socket: Socket) => boolean): void => {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket);
    else socket.resetAndDestroy();
  });
};

const ignore = (): void => undefined;

/**
 * Hands a connection over when its client has sent something. TLS takes tens of kilobytes for each connection and most
 * of the time that accepting one costs: a client that only connects does not get them.
 */
const heard = (socket: Socket, withinMs: number, handOver: () => void): void => {
  socket.once('error', ignore);
  socket.setTimeout(withinMs, () => socket.destroy());
  socket.once('readable', () => {
    // Nothing to read is the end of the connection.
    if (socket.readableLength === 0) {
      socket.destroy();
      return;
    }
    socket.off('error', ignore);
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
    handOver();
  });
};

/**
 * Lets `server` accept connections at `place`: with `isBusy`, and where the system can divide connections (Linux), on
 * several sockets. Rejects with the system's error when the port or the address is not available.
 */
export const openSockets = async (server: Server, place: Place, admission: Admission): Promise<ListeningSockets> => {
  const { most, isBusy, admit = () => true, silentMs } = admission;
  if (!isBusy || process.platform !== 'linux') {
    if (admission.admit) admitBy(server, admission.admit);
    server.maxConnections = most;
    const port = await listening(server, place);
    return { port, close: () => closed(server), closeSilent: ignore };
  }
  const isTls = server instanceof TlsServer;
  const silent = new Set<Socket>();
  let open = 0;
  const accept = (socket: Socket): void => {
    if (open >= most) {
      socket.destroy();
      return;
    }
    if (!admit(socket)) {
      socket.resetAndDestroy();
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
      silent.delete(socket);
    });
    const handOver = (): void => {
      silent.delete(socket);
      server.emit('connection', socket);
    };
    if (isTls) {
      silent.add(socket);
      heard(socket, silentMs, handOver);
    } else handOver();
  };
  const shared = { host: place.host, port: await freePort(place), reusePort: true };
  // As Node's servers of HTTP and of HTTPS have it.
  const settings = { allowHalfOpen: !isTls, noDelay: true };
  const sockets = Array.from({ length: BUSY_SOCKETS }, () => createServer(settings, accept));
  const close = () => Promise.all(sockets.map(closed)).then(() => undefined);
  const closeSilent = () => {
    for (const socket of silent) socket.destroy();
  };
  try {
    await Promise.all(sockets.map((socket) => listening(socket, shared)));
    // Only from this event on does Node's HTTP server track connections, to end slow and idle ones.
    server.emit('listening');
  } catch (error) {
    await close();
    throw error;
  }
  return { port: shared.port, close, closeSilent };
};
