import type { RequestHandler } from 'express';
import type { Routing } from '../routing/routing.ts';

/** Finds the operation of the request; what no service describes does not exist. */
export function findRoute(routing: Pick<Routing, 'findRoute'>): RequestHandler {
  return ({ exchange }, _response, next) => {
    exchange.route = routing.findRoute(exchange);
    next();
  };
}
