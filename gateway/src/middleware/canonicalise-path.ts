import type { RequestHandler } from 'express';
import { readTarget, toFamily } from '../exchange/target.ts';
import type { Pages } from '../routing/router.ts';

export function canonicalisePath({ mayEndWithSlash }: Pick<Pages, 'mayEndWithSlash'>): RequestHandler {
  return ({ exchange, url, originalUrl }, _response, next) => {
    exchange.target = readTarget(url === '*' ? originalUrl : url, mayEndWithSlash);
    exchange.family = toFamily(exchange.target.path);
    next();
  };
}
