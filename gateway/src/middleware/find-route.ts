import type { RequestHandler } from 'express';
import type { Routing } from '../routing/routing.ts';

export function findRoute(routing: Pick<Routing, 'findRoute'>): RequestHandler {
  return ({ exchange }, _response, next) => {
    exchange.route = routing.findRoute(exchange);
    next();
  };
}
