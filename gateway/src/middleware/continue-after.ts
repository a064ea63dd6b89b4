import type { NextFunction, Response } from 'express';

/** Goes on when the work is done; of a client that has disconnected meanwhile nothing more is done. */
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
