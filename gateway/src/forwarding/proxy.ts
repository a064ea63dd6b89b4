import {
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  ServerResponse,
} from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { type Endpoint, limitConnecting } from '@boxoffice/runtime';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { ForeignReply } from './failure.ts';

interface ProxyEvents<State> {
  /** Writes the body; the request has a connection, or is about to have one. */
  onRequest(state: State, upstream: ClientRequest): void;
  onReply(state: State, reply: IncomingMessage): void;
  /** Reports also a switch of protocols, which no request asks for. */
  onError(state: State, error: Error): void;
}

/** A connection is any pooled one, one that was used lately, or a new one. */
export type ConnectionKind = 'pooled' | 'recent' | 'fresh';

/** Below the keep-alive timeout of our services, so that this side closes first. */
const IDLE_MS = 60_000;

/** Below SERVICE_DRAIN_MS: a connection released within it is served, or known to be closed. */
const RECENT_MS = 600;

/** Longer than the kernel takes to repeat an attempt that a full backlog dropped, twice. */
const CONNECT_MS = 5_000;

/**
 * The package destroys its response when the service's ends early, where the gateway still answers, and is asked twice
 * for a request that is repeated; so it gets one without a connection.
 */
class UnsentResponse<State> extends ServerResponse {
  readonly target: Endpoint;
  readonly state: State;

  constructor(request: IncomingMessage, target: Endpoint, state: State) {
    super(request);
    this.target = target;
    this.state = state;
  }
}

export function createProxy<State>(url: string, { onRequest, onReply, onError }: ProxyEvents<State>) {
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
  const createMiddleware = (agent: PlainAgent) =>
    createProxyMiddleware<IncomingMessage, UnsentResponse<State>>({
      target: url,
      router: (_request, response) => response?.target ?? url,
      agent,
      selfHandleResponse: true,
      // The default plugins answer errors in plain text and log each response.
      ejectPlugins: true,
      plugins: [
        (server) => {
          server.on('proxyReq', (upstream, _request, { state }) => {
            if (upstream.socket) limitConnecting(upstream.socket, CONNECT_MS);
            upstream.once('upgrade', (_reply, socket) => {
              socket.destroy();
              onError(state, new ForeignReply('it switches protocols'));
            });
            onRequest(state, upstream);
          });
          server.on('proxyRes', (reply, _request, { state }) => onReply(state, reply));
          const fail = (error: Error, _request?: IncomingMessage, response?: UnsentResponse<State> | Socket): void => {
            if (response instanceof UnsentResponse) onError(response.state, error);
          };
          server.on('error', fail).on('econnreset', fail);
        },
      ],
    });
  const middlewares = {
    pooled: createMiddleware(agents.pooled),
    recent: createMiddleware(agents.recent),
    fresh: createMiddleware(agents.fresh),
  };
  return {
    /** `request` has the headers and the URL for the service. */
    send(kind: ConnectionKind, request: IncomingMessage, target: Endpoint, state: State): void {
      void middlewares[kind](request, new UnsentResponse(request, target, state));
    },
    closeIdle(address: string): void {
      for (const { freeSockets } of Object.values(agents)) {
        for (const socket of Object.values(freeSockets).flat()) if (socket?.remoteAddress === address) socket.destroy();
      }
    },
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
