import type { RequestHandler } from 'express';
import { createNoSuchEndpointFault } from '../exchange/faults.ts';

/** Section 8: https only. A plain request is answered as if the endpoint did not exist. */
export const requireTls: RequestHandler = (request, _response, next) => {
  if (!request.exchange.secure) throw createNoSuchEndpointFault();
  next();
};
