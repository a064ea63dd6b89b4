import { type Addresses, type Metrics, toStatusClass } from '@boxoffice/runtime';
import { type Exchange, keyOutcomes } from '../exchange/exchange.ts';
import type { Meter } from './meter.ts';

/** Label values come from descriptions and tables, never from clients. */
export interface GatewayMetrics {
  recordExchange(exchange: Exchange): void;
  upstreamAnswered(service: string, exchange: Exchange): void;
  upstreamFailed(service: string, code: string): void;
  upstreamRepeated(service: string): void;
  lookedUp(cache: 'decisions' | 'answers' | 'api_keys', found: boolean): void;
  watchMeter(meter: Pick<Meter, 'backlog'>): void;
  watch(service: string, addresses: Pick<Addresses, 'state' | 'open'>, inFlight?: () => number): void;
  unwatch(service: string): void;
}

const nothing = (): void => undefined;

const noMetrics: GatewayMetrics = {
  recordExchange: nothing,
  upstreamAnswered: nothing,
  upstreamFailed: nothing,
  upstreamRepeated: nothing,
  lookedUp: nothing,
  watchMeter: nothing,
  watch: nothing,
  unwatch: nothing,
};

/** Without a registry they cost nothing. */
export function createGatewayMetrics(metrics: Metrics | undefined): GatewayMetrics {
  if (!metrics) return noMetrics;
  const requests = metrics.counter({
    name: 'gateway_requests_total',
    help: 'Requests by operation and status',
    labels: ['service', 'operation', 'status'],
  });
  const failures = metrics.counter({
    name: 'gateway_upstream_failures_total',
    help: 'Requests that failed at a service, by reason',
    labels: ['service', 'code'],
  });
  const repeats = metrics.counter({
    name: 'gateway_upstream_repeats_total',
    help: 'Requests that were sent a second time, because their connection broke',
    labels: ['service'],
  });
  const lookups = metrics.counter({
    name: 'gateway_cache_lookups_total',
    help: 'Lookups in the caches of decisions, responses and API keys, by result',
    labels: ['cache', 'result'],
  });
  const keys = metrics.counter({
    name: 'gateway_api_key_requests_total',
    help: 'Requests with an API key, by what became of the key',
    labels: ['outcome'],
  });
  for (const outcome of keyOutcomes) keys({ outcome }, 0);
  const upstream = metrics.histogram({
    name: 'gateway_upstream_duration_seconds',
    help: 'Time until a service begins to answer',
    labels: ['service'],
  });
  const answered = metrics.answers('gateway');
  const open = {
    name: 'gateway_breaker_open',
    help: '1 while the breakers of all addresses of a service are open or half-open',
    labels: ['service'],
  };
  const openAddresses = {
    name: 'gateway_breaker_open_addresses',
    help: 'Addresses of a service whose breaker is open or half-open',
    labels: ['service'],
  };
  const inFlightGauge = {
    name: 'gateway_upstream_requests',
    help: 'Requests in flight to a service; streams and those that wait do not count',
    labels: ['service'],
  };
  const watched = new Map<string, { addresses: Pick<Addresses, 'state' | 'open'>; inFlight?: () => number }>();
  const each = (read: (one: { addresses: Pick<Addresses, 'state' | 'open'> }) => number) => () =>
    [...watched].map(([service, one]) => ({ value: read(one), labels: { service } }));
  metrics.watch(
    open,
    each(({ addresses }) => (addresses.state === 'closed' ? 0 : 1)),
  );
  metrics.watch(
    openAddresses,
    each(({ addresses }) => addresses.open),
  );
  metrics.watch(inFlightGauge, () =>
    [...watched].flatMap(([service, { inFlight }]) => (inFlight ? [{ value: inFlight(), labels: { service } }] : [])),
  );
  return {
    recordExchange({ route, response, startedAt, keyOutcome }) {
      if (keyOutcome !== undefined) keys({ outcome: keyOutcome });
      const operation = route?.operation ?? 'none';
      requests({ service: route?.service ?? 'none', operation, status: response.statusCode });
      answered(operation, toStatusClass(response), (performance.now() - startedAt) / 1_000);
    },
    upstreamAnswered: (service, { forwardedAt }) => upstream((performance.now() - forwardedAt) / 1_000, { service }),
    upstreamFailed: (service, code) => failures({ service, code }),
    upstreamRepeated: (service) => repeats({ service }),
    lookedUp: (cache, found) => lookups({ cache, result: found ? 'hit' : 'miss' }),
    watchMeter(meter) {
      metrics.watch(
        { name: 'gateway_metering_unreported_requests', help: 'Counted requests that are not reported' },
        () => [{ value: meter.backlog().requests }],
      );
      metrics.watch({ name: 'gateway_metering_lag_seconds', help: 'Age of the oldest of them' }, () => [
        { value: meter.backlog().ageMs / 1_000 },
      ]);
    },
    watch: (service, addresses, inFlight) => void watched.set(service, { addresses, inFlight }),
    unwatch: (service) => void watched.delete(service),
  };
}
