import type { Logger } from '@boxoffice/runtime';
import type { ErrorRequestHandler } from 'express';
import { answerFault, toFault } from '../exchange/answer.ts';

export function answerError(logger: Pick<Logger, 'error'>): ErrorRequestHandler {
  return (error, { exchange }, _response, _next) => {
    const report = (unknown: unknown) => {
      logger.error('a request failed', {
        requestId: exchange.trace.requestId,
        operation: exchange.route?.operation,
        error: unknown,
      });
    };
    answerFault(exchange, toFault(error, report));
  };
}
