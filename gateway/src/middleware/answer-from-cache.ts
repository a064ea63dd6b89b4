import type { RequestHandler } from 'express';
import type { ResponseCache } from '../forwarding/response-cache.ts';

export function answerFromCache(responseCache: Pick<ResponseCache, 'answer'>): RequestHandler {
  return ({ exchange }, _response, next) => {
    if (!responseCache.answer(exchange)) next();
  };
}
