import { Fault } from '@boxoffice/envelope';
import type { ErrorRequestHandler, Request } from 'express';
import type { Credentials } from '../authorization/credentials.ts';
import { isPreflight } from '../cors/cors.ts';

export function noteRefusedCaller({ noteCaller }: Pick<Credentials, 'noteCaller'>): ErrorRequestHandler {
  return (error, request, _response, next) => {
    const noted = isOfCaller(request, error) ? noteCaller(request.exchange) : undefined;
    if (noted) return noted.then(() => next(error));
    next(error);
  };
}

/** The refusal is of what the caller asked for, over TLS and within the limit of its address. */
function isOfCaller(request: Request, error: unknown): boolean {
  // A request that waits for a service that is away does not wait for the authorizer as well.
  if (!(error instanceof Fault) || error.http >= 500 || error.code === 'too_many_requests') return false;
  return request.exchange.secure && !isPreflight(request);
}
