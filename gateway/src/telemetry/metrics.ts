import { type Addresses, type Metrics, toStatusClass } from '@boxoffice/runtime';
import { type Exchange, keyOutcomes } from '../exchange/exchange.ts';
import type { Meter } from './meter.ts';

interface Watched {
  readonly addresses: Pick<Addresses, 'state' | 'open'>;
  readonly inFlight?: (() => number) | undefined;
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

/** Without a registry they cost nothing. Label values come from descriptions and tables, never from clients. */
export function createGatewayMetrics(metrics: Metrics | undefined) {
  const requests = metrics?.counter({
    name: 'gateway_requests_total',
    help: 'Requests by operation and status',
    labels: ['service', 'operation', 'status'],
  });
  const failures = metrics?.counter({
    name: 'gateway_upstream_failures_total',
    help: 'Requests that failed at a service, by reason',
    labels: ['service', 'code'],
  });
  const repeats = metrics?.counter({
    name: 'gateway_upstream_repeats_total',
    help: 'Requests that were sent a second time, because their connection broke',
    labels: ['service'],
  });
  const lookups = metrics?.counter({
    name: 'gateway_cache_lookups_total',
    help: 'Lookups in the caches of decisions, responses and API keys, by result',
    labels: ['cache', 'result'],
  });
  const keys = metrics?.counter({
    name: 'gateway_api_key_requests_total',
    help: 'Requests with an API key, by what became of the key',
    labels: ['outcome'],
  });
  for (const outcome of keyOutcomes) keys?.({ outcome }, 0);
  const upstream = metrics?.histogram({
    name: 'gateway_upstream_duration_seconds',
    help: 'Time until a service begins to answer',
    labels: ['service'],
  });
  const answered = metrics?.answers('gateway');
  const watched = new Map<string, Watched>();
  const watchEach = (name: string, help: string, read: (one: Watched) => number | undefined): void =>
    metrics?.watch({ name, help, labels: ['service'] }, () =>
      [...watched].flatMap(([service, one]) => {
        const value = read(one);
        return value === undefined ? [] : [{ value, labels: { service } }];
      }),
    );
  watchEach(
    'gateway_breaker_open',
    '1 while the breakers of all addresses of a service are open or half-open',
    ({ addresses }) => (addresses.state === 'closed' ? 0 : 1),
  );
  watchEach(
    'gateway_breaker_open_addresses',
    'Addresses of a service whose breaker is open or half-open',
    ({ addresses }) => addresses.open,
  );
  watchEach(
    'gateway_upstream_requests',
    'Requests in flight to a service; streams and those that wait do not count',
    ({ inFlight }) => inFlight?.(),
  );
  return {
    recordExchange({ route, response, startedAt, keyOutcome }: Exchange): void {
      if (keyOutcome !== undefined) keys?.({ outcome: keyOutcome });
      const operation = route?.operation ?? 'none';
      requests?.({ service: route?.service ?? 'none', operation, status: response.statusCode });
      answered?.(operation, toStatusClass(response), (performance.now() - startedAt) / 1_000);
    },
    upstreamAnswered: (service: string, { forwardedAt }: Exchange): void =>
      upstream?.((performance.now() - forwardedAt) / 1_000, { service }),
    upstreamFailed: (service: string, code: string): void => failures?.({ service, code }),
    upstreamRepeated: (service: string): void => repeats?.({ service }),
    lookedUp: (cache: 'decisions' | 'answers' | 'api_keys', found: boolean): void =>
      lookups?.({ cache, result: found ? 'hit' : 'miss' }),
    watchMeter(meter: Pick<Meter, 'backlog'>): void {
      metrics?.watch(
        { name: 'gateway_metering_unreported_requests', help: 'Counted requests that are not reported' },
        () => [{ value: meter.backlog().requests }],
      );
      metrics?.watch({ name: 'gateway_metering_lag_seconds', help: 'Age of the oldest of them' }, () => [
        { value: meter.backlog().ageMs / 1_000 },
      ]);
    },
    watch: (service: string, addresses: Watched['addresses'], inFlight?: () => number): void =>
      void watched.set(service, { addresses, inFlight }),
    unwatch: (service: string): void => void watched.delete(service),
  };
}
