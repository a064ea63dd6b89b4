import type { RequestListener } from 'node:http';

/**
 * Holds early requests until the service is ready, for the given number of milliseconds from now; then it refuses them
 * and all later ones. Without readiness checks a new instance gets requests as soon as its name resolves to it: a delay
 * is better than a refusal.
 */
export const holdFor = (ms: number, there: Promise<RequestListener>, refuse: RequestListener): RequestListener => {
  const over = Promise.withResolvers<RequestListener>();
  if (ms > 0) setTimeout(() => over.resolve(refuse), ms).unref();
  else over.resolve(refuse);
  const whichever = Promise.race([there, over.promise]);
  return (request, response) =>
    void whichever.then((handle) => {
      if (!response.destroyed) handle(request, response);
    });
};
