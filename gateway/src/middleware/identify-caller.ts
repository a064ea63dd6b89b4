import type { RequestHandler } from 'express';
import type { Credentials } from '../authorization/credentials.ts';
import { continueAfter } from './continue-after.ts';

export function identifyCaller(credentials: Pick<Credentials, 'identify'>): RequestHandler {
  return ({ exchange }, response, next) => continueAfter(credentials.identify(exchange), response, next);
}
