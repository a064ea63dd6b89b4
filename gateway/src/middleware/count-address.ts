import type { RequestHandler } from 'express';
import type { Limits } from '../limits/limits.ts';

export function countAddress(limits: Pick<Limits, 'countAddress'>): RequestHandler {
  return (request, _response, next) => {
    limits.countAddress(request.exchange);
    next();
  };
}
