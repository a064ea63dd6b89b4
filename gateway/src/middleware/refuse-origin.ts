import type { RequestHandler } from 'express';

/** Before the request has any effect. */
export const refuseOrigin: RequestHandler = ({ exchange: { originRefusal } }, _response, next) => {
  if (originRefusal) throw originRefusal;
  next();
};
