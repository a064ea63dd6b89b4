import {
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  ServerResponse,
} from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { createProxyMiddleware, proxyEventsPlugin } from 'http-proxy-middleware';
import { ConnectTimeout } from './failure.ts';

/** Notifications about a request to a service. */
export interface ProxyEvents {
  /** The request exists and has a connection, or is about to have one; writes its body. */
  onRequest(request: IncomingMessage, upstream: ClientRequest): void;
  onReply(request: IncomingMessage, reply: IncomingMessage): void;
  onError(request: IncomingMessage, error: Error): void;
}

/** Which connection a request gets: any pooled one, one that was used lately, or a new one. */
export type ConnectionKind = 'pooled' | 'recent' | 'fresh';

/** Sends requests to the instances of one service. */
export interface Proxy {
  /** `request` has the headers and the URL for the service. */
  send(kind: ConnectionKind, request: IncomingMessage): void;
  /** Closes the idle connections to an address. */
  closeIdle(address: string): void;
  close(): void;
}

/** Below the keep-alive timeout of our services, so that this side closes first. A service's `Keep-Alive` can shorten it. */
const IDLE_MS = 60_000;

/**
 * Below the time that a stopping service still serves idle connections (SERVICE_DRAIN_MS): a connection released
 * within it is served, or known to be closed, even if the end of its last answer was read late.
 */
const RECENT_MS = 600;

/** Longer than the kernel takes to repeat an attempt that a full backlog dropped, twice. */
const CONNECT_MS = 5_000;

/** Ends a connection that is not established in time: nothing has been sent on it. */
const limitConnecting = (socket: Socket): void => {
  if (!socket.connecting) return;
  const end = () => {
    if (socket.connecting) socket.destroy(new ConnectTimeout());
  };
  // A process that stood still first reads which connections were established meanwhile.
  const timer = setTimeout(() => setImmediate(end), CONNECT_MS);
  const established = () => clearTimeout(timer);
  socket.once('connect', established).once('close', established);
};

/** Makes the proxy of the service at `url`; `originOf` is the base URL of the instance that gets a request. */
export const createProxy = (
  url: string,
  originOf: (request: IncomingMessage) => string,
  { onRequest, onReply, onError }: ProxyEvents,
): Proxy => {
  const { protocol, hostname } = new URL(url);
  // Connections are made to IP addresses, certificates are of names.
  const servername = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { servername: hostname } : {};
  const makeAgent = (options: AgentOptions) =>
    protocol === 'https:' ? new TlsAgent({ ...options, ...servername }) : new PlainAgent(options);
  const agents = {
    pooled: makeAgent({ keepAlive: true, timeout: IDLE_MS }),
    recent: makeAgent({ keepAlive: true, timeout: RECENT_MS }),
    fresh: makeAgent({ keepAlive: false }),
  };
  const middlewareOf = (agent: PlainAgent) =>
    createProxyMiddleware({
      target: url,
      router: originOf,
      agent,
      selfHandleResponse: true,
      // The default plugins answer errors in plain text and log each response.
      ejectPlugins: true,
      plugins: [proxyEventsPlugin],
      on: {
        proxyReq(upstream, request) {
          if (upstream.socket) limitConnecting(upstream.socket);
          onRequest(request, upstream);
        },
        proxyRes: (reply, request) => onReply(request, reply),
        error: (error, request) => onError(request, error),
        econnreset: (error, request) => onError(request, error),
      },
    });
  const middlewares = {
    pooled: middlewareOf(agents.pooled),
    recent: middlewareOf(agents.recent),
    fresh: middlewareOf(agents.fresh),
  };
  return {
    send(kind, request) {
      // The package destroys its response when the service's ends early, where the gateway still answers; and it is asked
      // twice for a request that is repeated. So it gets one without a connection.
      void middlewares[kind](request, new ServerResponse(request));
    },
    closeIdle(address) {
      for (const { freeSockets } of Object.values(agents)) {
        for (const socket of Object.values(freeSockets).flat()) if (socket?.remoteAddress === address) socket.destroy();
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
};
