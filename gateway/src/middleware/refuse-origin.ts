import type { RequestHandler } from 'express';

/** Refuses a request of an origin that the point of sale does not allow, before it has any effect. */
export const refuseOrigin: RequestHandler = ({ exchange: { originRefusal } }, _response, next) => {
  if (originRefusal) throw originRefusal;
  next();
};
