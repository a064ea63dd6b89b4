import type { RequestHandler } from 'express';
import type { Cors } from '../cors/cors.ts';

/** Runs before the route is known: none has the method OPTIONS. */
export function answerPreflight(cors: Pick<Cors, 'answerPreflight'>): RequestHandler {
  return ({ exchange }, _response, next) => {
    const answered = cors.answerPreflight(exchange);
    if (!answered) next();
    else if (answered !== true) return answered.then(() => undefined);
  };
}
