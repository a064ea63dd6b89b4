import type { RequestHandler } from 'express';
import type { Forwarding } from '../forwarding/forwarding.ts';

export function forward(forwarding: Pick<Forwarding, 'forward'>): RequestHandler {
  return ({ exchange }) => forwarding.forward(exchange);
}
