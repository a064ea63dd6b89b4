import type { RequestHandler } from 'express';

/** Runs before the request has any effect. */
export const refuseOrigin: RequestHandler = ({ exchange: { originRefusal } }, _response, next) => {
  if (originRefusal) throw originRefusal;
  next();
};
