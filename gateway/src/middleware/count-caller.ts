import type { RequestHandler } from 'express';
import type { Limits } from '../limits/limits.ts';

export function countCaller(limits: Pick<Limits, 'countCaller'>): RequestHandler {
  return (request, _response, next) => {
    limits.countCaller(request.exchange);
    next();
  };
}
