import type { RequestListener } from 'node:http';
import { Fault, toFailure } from '@boxoffice/envelope';
import { type Refuse, readRequestId } from '@boxoffice/runtime';
import type { ServiceDefinition } from '../definition.ts';

type Shape = Pick<ServiceDefinition, 'family' | 'onFault'>;

export function refuseIn(shape: Shape): Refuse {
  return ({ code, details, path }) => {
    const { headers, body } = shapeFault(shape, path, new Fault(code, details));
    return { headers: { ...headers, 'X-Request-Id': readRequestId(undefined) }, body };
  };
}

const shapeFault = ({ family, onFault }: Shape, path: string | undefined, fault: Fault) => {
  const { status, body } = family?.failure(fault) ?? { status: fault.http, body: toFailure(fault) };
  const more = onFault?.(path?.split('?', 1)[0], fault);
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...more?.headers },
    body: JSON.stringify({ ...body, ...more?.members }),
  };
};

export function refuseForNow(shape: Shape): RequestListener {
  return (request, response) => {
    const fault = new Fault('service_unavailable', 'The service is starting.', { 'Retry-After': '1' });
    const { status, headers, body } = shapeFault(shape, request.url, fault);
    response.writeHead(status, { ...headers, ...fault.headers });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

/**
 * Requests wait at most `maxMs` from this call, then all are refused, even after `ready`: the caller replaces it then.
 * For deployments without readiness probes, where DNS sends requests to an instance that is starting.
 */
export function delayUntilReady(
  maxMs: number,
  ready: Promise<RequestListener>,
  refuse: RequestListener,
): RequestListener {
  const timedOut = Promise.withResolvers<RequestListener>();
  if (maxMs > 0) setTimeout(() => timedOut.resolve(refuse), maxMs).unref();
  else timedOut.resolve(refuse);
  const firstOf = Promise.race([ready, timedOut.promise]);
  return (request, response) =>
    void firstOf.then((handle) => {
      if (!response.destroyed) handle(request, response);
    });
}
