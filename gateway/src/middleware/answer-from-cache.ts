import type { RequestHandler } from 'express';
import type { ResponseCache } from '../forwarding/response-cache.ts';

/** Answers with a response that the service lets several requests share. */
export function answerFromCache(responseCache: Pick<ResponseCache, 'answer'>): RequestHandler {
  return ({ exchange }, _response, next) => {
    if (!responseCache.answer(exchange)) next();
  };
}
