import type { RequestHandler } from 'express';
import type { Cors } from '../cors/cors.ts';
import { continueAfter } from './continue-after.ts';

export function allowOrigin(cors: Pick<Cors, 'allow'>): RequestHandler {
  return ({ exchange }, response, next) => continueAfter(cors.allow(exchange), response, next);
}
