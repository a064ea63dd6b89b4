import { Fault, PosFault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Family } from './family.ts';

/** Libraries do not know the store; it names its errors. */
const isWithoutStore = (error: unknown): error is Error => error instanceof Error && error.name === 'StoreUnavailable';

/** Seconds after which it is worth trying again. */
const RETRY_AFTER = '2';

const failed = (): Fault =>
  new Fault('internal_error', 'An unexpected error happened. The request id tells our logs which.');

/**
 * What anything that code throws is answered: a fault as it is; that the store is not there in the words of the family; everything else
 * as `internal_error`. What is not the caller's doing is logged.
 */
export const faultOf = (
  error: unknown,
  operation: string | undefined,
  { withoutStore, foresees }: Pick<Family, 'withoutStore' | 'foresees'>,
  logger: Pick<Logger, 'error'>,
): Fault => {
  if (error instanceof Fault && foresees(error)) return error;
  // An unforeseen error that has had consequences tells them.
  const { cause, answer } =
    error instanceof PosFault ? { cause: error.cause, answer: error } : { cause: error, answer: failed() };
  if (!isWithoutStore(cause)) {
    logger.error('a request failed', { operation, error: cause ?? error });
    return answer;
  }
  // Every request meets it while it lasts: a line each, without the stack.
  logger.error('the store is not there', { operation, code: withoutStore, reason: cause.message });
  if (withoutStore === 'internal_error') return answer;
  return new Fault(withoutStore, 'The service cannot reach its data at the moment.', { 'Retry-After': RETRY_AFTER });
};
