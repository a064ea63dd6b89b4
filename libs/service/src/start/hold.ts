import type { RequestListener } from 'node:http';

/**
 * Requests that come before the service is there wait for it, until so many milliseconds from now; then they and all
 * later ones are refused. A new instance is asked as soon as its name leads to it, where nothing asks for its readiness
 * first: it is better late than refusing.
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
