import { Fault, type FaultHeaders, PosFault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Family } from '../families/family.ts';

/** Libraries do not know the store; it names its errors. */
const isWithoutStore = (error: unknown): error is Error => error instanceof Error && error.name === 'StoreUnavailable';

/** Seconds after which the store is worth another try. */
const RETRY_AFTER = '2';

/** `Retry-After` of what waiting mends: the store, or another service that was not there. */
const waitFor = (cause: unknown): FaultHeaders => {
  const seconds = isWithoutStore(cause) ? RETRY_AFTER : cause instanceof Fault && cause.headers['Retry-After'];
  return seconds ? { 'Retry-After': seconds } : {};
};

const failed = (cause: unknown): Fault =>
  new Fault('internal_error', 'An unexpected error happened. The request id tells our logs which.', waitFor(cause));

/** An error with consequences as it is; without any, the same request may be tried again. */
const toldBy = (error: PosFault): PosFault => {
  const { userLoggedOut, orderCancelled } = error.consequences;
  if (userLoggedOut || orderCancelled) return error;
  return new PosFault(error.errorCode, error.details, { headers: { ...waitFor(error.cause), ...error.headers } });
};

/**
 * Maps any thrown value to a fault: a foreseen fault as it is; a store that is not there in the words of the family; everything else
 * as `internal_error`, with `Retry-After` where waiting helps. What is not the caller's doing is logged.
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
    error instanceof PosFault ? { cause: error.cause, answer: toldBy(error) } : { cause: error, answer: failed(error) };
  if (!isWithoutStore(cause)) {
    logger.error('a request failed', { operation, error: cause ?? error });
    return answer;
  }
  // Every request meets it while it lasts: a line each, without the stack.
  logger.error('the store is not there', { operation, code: withoutStore, reason: cause.message });
  if (withoutStore === 'internal_error') return answer;
  return new Fault(withoutStore, 'The service cannot reach its data at the moment.', { 'Retry-After': RETRY_AFTER });
};
