// Forwards a request to its service and the response back: headers, body, timeouts, shared responses.
import type { Addresses, Logger } from '@boxoffice/runtime';
import { isBuiltIn } from '@boxoffice/runtime/services';
import { answered, type Step } from '../exchange/exchange.ts';
import { noSuchEndpoint } from '../exchange/faults.ts';
import { createHolders, verifiedSession } from '../limits/callers.ts';
import type { Limits } from '../limits/limits.ts';
import type { Upstream } from '../routing/router.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';
import { createBodies } from './body.ts';
import { createForwarder, type Forwarder } from './forwarder.ts';
import type { ResponseCache } from './response-cache.ts';
import type { Streams } from './streams.ts';

interface ForwardingOptions {
  /** Makes the addresses of a service, for one kind of traffic. */
  readonly addressesOf: (service: string, url: string) => Addresses;
  readonly limits: Pick<Limits, 'sessionSeen'>;
  readonly streams: Pick<Streams, 'began' | 'waits'>;
  readonly responseCache: Pick<ResponseCache, 'store'>;
  readonly metrics: GatewayMetrics;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly timeouts?: UpstreamTimeouts;
  /** Requests in flight per service. */
  readonly concurrency?: number;
}

/** Milliseconds. */
export interface UpstreamTimeouts {
  /** Until a service begins its response. */
  readonly answer?: number;
  /** For the whole response, from when the request has arrived completely. */
  readonly total?: number;
  /** Until a request has arrived completely. */
  readonly body?: number;
}

/** The last step: forwards the request to its service. */
interface Forwarding {
  readonly step: Step;
  /** Replaces the services: a new address has a new forwarder, and the old one ends its requests in flight. */
  update(services: readonly Upstream[]): void;
  close(): void;
}

/** Requests in flight per service: above what one service handles well, below what would harm the gateway. */
const CONCURRENCY = 2_000;

interface Running {
  readonly url: string;
  readonly forwarder: Forwarder;
}

/** Makes the step, of no service yet. */
export const createForwarding = (options: ForwardingOptions): Forwarding => {
  const { addressesOf, limits, streams, responseCache, metrics, logger, timeouts, concurrency = CONCURRENCY } = options;
  const bodies = createBodies(timeouts?.body);
  const holders = createHolders();
  const deadlineMs = timeouts?.total ?? 30_000;
  const running = new Map<string, Running>();
  const retired = new Set<Forwarder>();
  let withSessions: ReadonlySet<string> = new Set();

  const open = (service: string, url: string): void => {
    const addresses = addressesOf(service, url);
    const forwarder = createForwarder({
      url,
      addresses,
      timeoutMs: timeouts?.answer ?? 15_000,
      deadlineMs,
      bodies,
      concurrency,
      holderOf: holders.holderOf,
      onFailure: ({ route, trace }, { code }) => {
        metrics.upstreamFailed(service, code);
        const about = { upstream: service, operation: route?.operation, requestId: trace.requestId, code };
        logger.warn('a service did not answer', about);
      },
      onRepeat: ({ route, trace }, { message }) => {
        metrics.upstreamRepeated(service);
        const about = { upstream: service, operation: route?.operation, requestId: trace.requestId, reason: message };
        logger.info('a request is sent again: its connection broke', about);
      },
      onStream: streams.began,
      onWait: streams.waits,
      onReply: (exchange, reply) => {
        metrics.upstreamAnswered(service, exchange);
        if (exchange.claims || exchange.apiKey) {
          reply.on('data', (chunk: Buffer) => {
            exchange.bytesOut += chunk.length;
          });
        }
        if (withSessions.has(service)) {
          const session = verifiedSession(exchange, reply);
          if (session !== undefined) limits.sessionSeen(session, exchange.now);
          holders.learn(exchange, reply);
        }
        responseCache.store(exchange, reply);
      },
    });
    running.set(service, { url, forwarder });
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
    step(exchange) {
      const found = running.get(exchange.route?.service ?? '');
      if (!found) throw noSuchEndpoint();
      found.forwarder.forward(exchange);
      return answered;
    },
    update(services) {
      for (const [name, { url, forwarder }] of running)
        if (!services.some((row) => row.name === name && row.url === url)) retire(name, forwarder);
      for (const { name, url } of services) if (!running.has(name)) open(name, url);
      // A team's service gets no session token, so it verifies none.
      withSessions = new Set(
        services.flatMap(({ name, sessions }) => (isBuiltIn(name) && sessions.length > 0 ? [name] : [])),
      );
    },
    close() {
      bodies.close();
      for (const forwarder of [...[...running.values()].map((one) => one.forwarder), ...retired]) forwarder.close();
    },
  };
};
