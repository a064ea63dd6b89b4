import type { RequestHandler } from 'express';
import type { Forwarding } from '../forwarding/forwarding.ts';

/** Forwards the request to its service, and the response back. */
export function forward(forwarding: Pick<Forwarding, 'forward'>): RequestHandler {
  return ({ exchange }) => forwarding.forward(exchange);
}
