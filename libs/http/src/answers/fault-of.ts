import { Fault, type FaultHeaders, PosFault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Family } from '../families/family.ts';

/** Libraries do not import the store; its errors are recognised by name. */
const isWithoutStore = (error: unknown): error is Error => error instanceof Error && error.name === 'StoreUnavailable';

/** Seconds after which the store is worth another attempt. */
const RETRY_AFTER = '2';

/** `Retry-After` for transient faults: the store, or another service, was unavailable. */
const waitFor = (cause: unknown): FaultHeaders => {
  const seconds = isWithoutStore(cause) ? RETRY_AFTER : cause instanceof Fault && cause.headers['Retry-After'];
  return seconds ? { 'Retry-After': seconds } : {};
};

const failed = (cause: unknown): Fault =>
  new Fault('internal_error', 'An unexpected error occurred. The log has it under the request id.', waitFor(cause));

/** An error with consequences stays as it is; without any, the same request may be repeated. */
const unexpectedOf = (error: PosFault): PosFault => {
  const { userLoggedOut, orderCancelled } = error.consequences;
  if (userLoggedOut || orderCancelled) return error;
  return new PosFault(error.errorCode, error.details, { headers: { ...waitFor(error.cause), ...error.headers } });
};

/**
 * Maps any thrown value to a fault: a Fault as it is; an unavailable store in the family's terms; everything else as
 * `internal_error`, with `Retry-After` where waiting helps. Logs whatever the caller did not cause.
 */
export const faultOf = (
  error: unknown,
  operation: string | undefined,
  { withoutStore, foresees }: Pick<Family, 'withoutStore' | 'foresees'>,
  logger: Pick<Logger, 'error'>,
): Fault => {
  if (error instanceof Fault && foresees(error)) return error;
  // An unforeseen error with consequences reports them.
  const { cause, answer } =
    error instanceof PosFault
      ? { cause: error.cause, answer: unexpectedOf(error) }
      : { cause: error, answer: failed(error) };
  if (!isWithoutStore(cause)) {
    logger.error('a request failed', { operation, error: cause ?? error });
    return answer;
  }
  // Every request fails this way while it lasts: one line each, without the stack.
  logger.error('the store is unavailable', { operation, code: withoutStore, reason: cause.message });
  if (withoutStore === 'internal_error') return answer;
  return new Fault(withoutStore, 'The service cannot reach its data at the moment.', { 'Retry-After': RETRY_AFTER });
};
