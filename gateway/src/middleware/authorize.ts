import type { RequestHandler } from 'express';
import type { Authorize } from '../authorization/authorize.ts';
import { continueAfter } from './continue-after.ts';

export function authorize({ decide }: Pick<Authorize, 'decide'>): RequestHandler {
  return ({ exchange }, response, next) => continueAfter(decide(exchange), response, next);
}
