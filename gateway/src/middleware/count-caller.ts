import type { RequestHandler } from 'express';
import type { Limits } from '../limits/limits.ts';

/** Counts the request against the limit of its client, user, API key or session. */
export function countCaller(limits: Pick<Limits, 'countCaller'>): RequestHandler {
  return (request, _response, next) => {
    limits.countCaller(request.exchange);
    next();
  };
}
