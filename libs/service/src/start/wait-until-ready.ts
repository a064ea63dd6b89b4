import type { RequestListener } from 'node:http';

/**
 * A listener whose requests wait until `ready` resolves, then go to the listener that it resolves to. If that takes
 * longer than `maxMs` milliseconds from this call, it refuses all waiting and later requests, even after `ready`: the
 * caller replaces it then. 0 refuses at once. For deployments without readiness probes, where DNS sends requests to an
 * instance that is still starting.
 */
export const delayUntilReady = (
  maxMs: number,
  ready: Promise<RequestListener>,
  refuse: RequestListener,
): RequestListener => {
  const timedOut = Promise.withResolvers<RequestListener>();
  if (maxMs > 0) setTimeout(() => timedOut.resolve(refuse), maxMs).unref();
  else timedOut.resolve(refuse);
  const firstOf = Promise.race([ready, timedOut.promise]);
  return (request, response) =>
    void firstOf.then((handle) => {
      if (!response.destroyed) handle(request, response);
    });
};
