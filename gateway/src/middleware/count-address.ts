import type { RequestHandler } from 'express';
import type { Limits } from '../limits/limits.ts';

/** Counts the request against the limit of its address, before anything of it is read. */
export function countAddress(limits: Pick<Limits, 'countAddress'>): RequestHandler {
  return (request, _response, next) => {
    limits.countAddress(request.exchange);
    next();
  };
}
