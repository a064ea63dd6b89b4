import type { NextFunction, Response } from 'express';

/** Nothing more is done for a client that has disconnected meanwhile. */
export function continueAfter(
  work: undefined | Promise<undefined>,
  response: Response,
  next: NextFunction,
): undefined | Promise<void> {
  if (work)
    return work.then(() => {
      if (!response.destroyed) next();
    });
  next();
}
