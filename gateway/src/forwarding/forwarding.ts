import type { Addresses, Logger } from '@boxoffice/runtime';
import type { Exchange } from '../exchange/exchange.ts';
import { createNoSuchEndpointFault } from '../exchange/faults.ts';
import { createHolders, readVerifiedSession } from '../limits/callers.ts';
import type { Limits } from '../limits/limits.ts';
import type { Upstream } from '../routing/router.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';
import { createBodies } from './body.ts';
import { createForwarder, type Forwarder } from './forwarder.ts';
import { createHeaderFilter } from './headers.ts';
import type { ResponseCache } from './response-cache.ts';
import type { Streams } from './streams.ts';

interface ForwardingOptions {
  readonly openAddresses: (service: string, url: string) => Addresses;
  readonly limits: Pick<Limits, 'sessionSeen'>;
  readonly streams: Pick<Streams, 'began' | 'waits'>;
  readonly responseCache: Pick<ResponseCache, 'store'>;
  readonly metrics: GatewayMetrics;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly publicUrl: string;
  readonly timeouts?: UpstreamTimeouts;
  readonly concurrency?: number;
}

export interface UpstreamTimeouts {
  /** Milliseconds until a service begins its response. */
  readonly answer?: number;
  /** Milliseconds for the whole response, from when the request has arrived completely. */
  readonly total?: number;
  /** Milliseconds until a request has arrived completely. */
  readonly body?: number;
}

export type Forwarding = ReturnType<typeof createForwarding>;

/** Requests per service: above what one handles well, below what would harm the gateway. */
const CONCURRENCY = 2_000;

interface Running {
  readonly url: string;
  readonly forwarder: Forwarder;
  readonly use: (row: Upstream) => void;
}

export function createForwarding(options: ForwardingOptions) {
  const {
    openAddresses,
    limits,
    streams,
    responseCache,
    metrics,
    logger,
    timeouts,
    concurrency = CONCURRENCY,
  } = options;
  const bodies = createBodies(timeouts?.body);
  const holders = createHolders();
  const deadlineMs = timeouts?.total ?? 30_000;
  const running = new Map<string, Running>();
  const retired = new Set<Forwarder>();
  let withSessions: ReadonlySet<string> = new Set();

  const { origin } = new URL(options.publicUrl);

  const open = (row: Upstream): void => {
    const { name: service, url } = row;
    let headerFilter = createHeaderFilter(row, origin);
    const addresses = openAddresses(service, url);
    const forwarder = createForwarder({
      url,
      addresses,
      headerFilter: () => headerFilter,
      timeoutMs: timeouts?.answer ?? 15_000,
      deadlineMs,
      bodies,
      concurrency,
      findHolder: holders.findHolder,
      onFailure: ({ route, trace }, { code, reason }) => {
        metrics.upstreamFailed(service, code);
        const about = { upstream: service, operation: route?.operation, requestId: trace.requestId, code, reason };
        logger.warn('a service did not answer', about);
      },
      onRepeat: ({ route, trace }, { message }) => {
        metrics.upstreamRepeated(service);
        const about = { upstream: service, operation: route?.operation, requestId: trace.requestId, reason: message };
        logger.info('a request is sent again: its connection broke', about);
      },
      onStream: streams.began,
      onWait: streams.waits,
      onReply: (exchange, reply, headers) => {
        metrics.upstreamAnswered(service, exchange);
        if (exchange.claims || exchange.apiKey) {
          reply.on('data', (chunk: Buffer) => {
            exchange.bytesOut += chunk.length;
          });
        }
        if (withSessions.has(service)) {
          const session = readVerifiedSession(exchange, reply);
          if (session !== undefined) limits.sessionSeen(session, exchange.now);
          holders.learn(exchange, reply);
        }
        responseCache.store(exchange, reply, headers);
      },
    });
    const use = (now: Upstream): void => {
      headerFilter = createHeaderFilter(now, origin);
    };
    running.set(service, { url, forwarder, use });
    metrics.watch(service, addresses, forwarder.inFlight);
  };

  const retire = (service: string, forwarder: Forwarder): void => {
    running.delete(service);
    metrics.unwatch(service);
    retired.add(forwarder);
    const end = (): void => {
      if (retired.delete(forwarder)) forwarder.close();
    };
    setTimeout(end, deadlineMs).unref();
  };

  return {
    /** @throws {Fault} when the request cannot be forwarded */
    forward(exchange: Exchange): void {
      const found = running.get(exchange.route?.service ?? '');
      if (!found) throw createNoSuchEndpointFault();
      found.forwarder.forward(exchange);
    },
    /** A new address has a new forwarder; the old one ends its requests in flight. */
    update(services: readonly Upstream[]): void {
      for (const [name, { url, forwarder }] of running)
        if (!services.some((row) => row.name === name && row.url === url)) retire(name, forwarder);
      for (const row of services) {
        const known = running.get(row.name);
        if (known) known.use(row);
        else open(row);
      }
      const readSessions = services.filter(({ credentials = [] }) => credentials.includes('X-auth-token'));
      withSessions = new Set(readSessions.map(({ name }) => name));
    },
    close(): void {
      bodies.close();
      for (const forwarder of [...[...running.values()].map((one) => one.forwarder), ...retired]) forwarder.close();
    },
  };
}
