import type { Metrics } from '@boxoffice/runtime';
import type { Breaker } from './breaker.ts';
import type { Exchange } from './exchange.ts';

/** The gateway's figures. Labels come from descriptions and tables, never from what clients write. */
export interface Figures {
  over(exchange: Exchange): void;
  upstreamFailed(service: string, code: string): void;
  breaker(service: string, state: Breaker['state']): void;
}

const nothing = (): void => undefined;

/** Makes the figures; without metrics they cost nothing. */
export const createFigures = (metrics: Metrics | undefined): Figures => {
  if (!metrics) return { over: nothing, upstreamFailed: nothing, breaker: nothing };
  const requests = metrics.counter({
    name: 'gateway_requests_total',
    help: 'Requests by operation and status',
    labels: ['service', 'operation', 'status'],
  });
  const failures = metrics.counter({
    name: 'gateway_upstream_failures_total',
    help: 'Requests that a service did not answer, by reason',
    labels: ['service', 'code'],
  });
  const open = metrics.gauge({
    name: 'gateway_breaker_open',
    help: 'Whether requests are kept from a service',
    labels: ['service'],
  });
  return {
    over: ({ route, response }) =>
      requests({
        service: route?.service ?? 'none',
        operation: route?.operation ?? 'none',
        status: response.statusCode,
      }),
    upstreamFailed: (service, code) => failures({ service, code }),
    breaker: (service, state) => open(state === 'open' ? 1 : 0, { service }),
  };
};
