import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Certificate } from '../certificates.ts';
import type { Metrics, Observe } from '../metrics.ts';
import { describeMissingAddress, getErrorCode, NO_ADDRESS, StartFault } from '../settings/start-fault.ts';
import { readRequestId } from '../tracing.ts';
import { drainConnections } from './drain.ts';
import { type Health, VERSION_HEADER } from './health.ts';
import { answerRefusals, type OnRefused, type Refuse } from './refusal.ts';
import { useOriginForm } from './target.ts';

interface ArrivalLimits {
  readonly headersMs?: number;
  readonly requestMs?: number;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls?: Certificate;
  /** Answered at `/health/live` and `/health/ready`, before the handler. */
  readonly health?: Health;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: ArrivalLimits;
  /** Shapes the answers to requests that the HTTP parser refuses. */
  readonly refuse?: Refuse;
  /** Notified of these refusals, which no handler sees: for the access log. */
  readonly onRefused?: OnRefused;
  readonly observe?: Observe;
  /** Milliseconds in which requests are still served after the stop begins; a second when no connection is open. */
  readonly drainMs?: number;
  /** The setting that chooses the port, for the message when it is taken. */
  readonly setting?: string;
}

export interface Listening {
  readonly port: number;
  /** `http://host:port` or `https://…`, as a client on this machine reaches it. */
  readonly url: string;
  readonly server: Server;
  /** New connections get this certificate from now on; no effect without TLS. */
  renew(certificate: Certificate): void;
  /** The certificate that new connections get (PEM); undefined without TLS. */
  certificate(): string | undefined;
  /** Waits at most `graceMs` (default 12 s), then closes every connection. Every call returns the same promise. */
  close(graceMs?: number): Promise<void>;
}

/** Keep-alive time of an idle connection: longer than that of the gateway's agents and of usual load balancers. */
const KEEP_ALIVE_MS = 75_000;

const SILENCE_MS = 120_000;

const MOST_CONNECTIONS = 10_000;

const openPorts = new Set<number>();

export function getListeningPorts(): ReadonlySet<number> {
  return openPorts;
}

/** Resolves when connections are accepted. @throws {StartFault} when the port or the address is not available */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { health, observe, onRefused, refuse = bareRefuse } = options;
  const server = makeServer(options);
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const latest = new WeakMap<Socket, ServerResponse<IncomingMessage>>();
  const refuseWithoutHost = answerRefusals(server, { latest, refuse, onRefused });
  let running = 0;
  let ending: Promise<void> | undefined;
  let served = options.tls && String(options.tls.cert);

  const dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    latest.set(socket, response);
    running += 1;
    response.once('close', () => {
      running -= 1;
      // An idle connection keeps nothing of its last request.
      if (latest.get(socket) === response) latest.delete(socket);
    });
    if (ending) response.setHeader('Connection', 'close');
    if (request.headers.host === undefined && request.httpVersion !== '1.0') refuseWithoutHost(request, response);
    else if (health && request.url?.startsWith('/health/')) {
      answerHealth(health, request, response, options.headers).then((answered) => {
        if (!answered) handler(request, response);
      });
    } else {
      observe?.(request, response);
      useOriginForm(request);
      handler(request, response);
    }
  };
  server.on('request', dispatch);
  // RFC 9110, 10.1.1: an expectation that is not understood may be ignored.
  server.on('checkExpectation', dispatch);

  const port = await start(server, options);
  return {
    port,
    url: `${options.tls ? 'https' : 'http'}://${reachable(options.host)}:${port}`,
    server,
    renew({ cert, key }) {
      if (!options.tls) return;
      (server as TlsServer).setSecureContext({ cert, key });
      served = cert;
    },
    certificate: () => served,
    close(graceMs = 12_000) {
      ending ??= drainConnections(server, {
        graceMs,
        idleMs: options.drainMs ?? 0,
        connections,
        running: () => running,
      });
      return ending;
    },
  };
}

const bareRefuse: Refuse = ({ details }) => ({ headers: { 'Content-Type': 'text/plain' }, body: `${details}\n` });

const makeServer = ({ tls, limits: { headersMs = 10_000, requestMs = 30_000 } = {} }: ListenOptions): Server => {
  const options = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Node checks the two limits above at this interval: each check wakes a process that has nothing else to do.
    connectionsCheckingInterval: Math.min(5_000, headersMs, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: 16_384,
    noDelay: true,
    // Node would answer a missing Host with an empty 400; listen answers it in the interface's shape.
    requireHostHeader: false,
  };
  const server = tls ? createTlsServer({ ...options, ...tls, handshakeTimeout: headersMs }) : createServer(options);
  server.maxConnections = MOST_CONNECTIONS;
  // The size limit bounds them; by default Node ignores headers beyond the 2000th.
  server.maxHeadersCount = 0;
  server.setTimeout(SILENCE_MS);
  return server;
};

const answerHealth = async (
  health: Health,
  request: IncomingMessage,
  response: ServerResponse,
  headers: ListenOptions['headers'],
): Promise<boolean> => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const answer = health.answer((request.url ?? '').split('?', 1)[0] ?? '');
  if (!answer) return false;
  const { status, body } = await answer;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Request-Id': readRequestId(request.headers['x-request-id']),
    ...(health.version === undefined ? {} : { [VERSION_HEADER]: health.version }),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
  return true;
};

/** Begins to listen; the port. @throws {StartFault} */
const start = async (server: Server, { host, port, setting }: ListenOptions): Promise<number> => {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const which = setting === undefined ? '' : `${setting}: `;
    const reason = getErrorCode(error);
    if (reason === 'EADDRINUSE') throw new StartFault(`${which}port ${port} of ${host} is in use by another program`);
    if (reason === 'EACCES') throw new StartFault(`${which}no permission to use port ${port} of ${host}`);
    if (NO_ADDRESS.has(reason)) throw new StartFault(`HOST: ${describeMissingAddress(host)}`);
    throw error;
  }
  // A connection that could not be accepted concerns its client only.
  server.on('error', () => undefined);
  const address = server.address();
  const chosen = typeof address === 'object' && address ? address.port : port;
  openPorts.add(chosen);
  server.once('close', () => openPorts.delete(chosen));
  return chosen;
};

const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};

interface OperationsOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly health?: Health;
}

/** Serves `/metrics` (and health) on a separate port, which is not published. */
export function serveOperations({ host, port, metrics, health }: OperationsOptions): Promise<Listening> {
  return listen(
    (request, response) => {
      const readable = request.method === 'GET' || request.method === 'HEAD';
      if (!readable || request.url?.split('?', 1)[0] !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('GET /metrics is here\n');
        return;
      }
      metrics.text().then(
        ({ type, text }) => response.writeHead(200, { 'Content-Type': type }).end(text),
        () => response.writeHead(500).end(),
      );
    },
    { host, port, health, setting: 'OPERATIONS_PORT' },
  );
}
