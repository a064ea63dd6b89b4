import { Fault, type FaultHeaders, listSubjects, PosFault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Family } from '../families/family.ts';
import type { Answer, AnyOperation, OpenStream } from '../operation.ts';
import { type Headers, JSON_TYPE } from './exchange.ts';

/** The outcome of a request, as it is stored and sent (structurally the store's `RememberedAnswer`). */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly subjects?: readonly string[];
  readonly stream?: (open: OpenStream) => void;
}

/** Cacheable answers must be revalidated each time; all others must not be stored. */
const REVALIDATED = { 'Cache-Control': 'private, no-cache' } as const;
const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export function createOutcomes(family: Family, { bare, compressed, onFault, streams }: AnyOperation) {
  // Compressed answers have several representations under one validator, so it is a weak one (RFC 9110, 8.8.3.3).
  const tag = (etag: string) => (compressed ? `W/"${etag}"` : `"${etag}"`);

  const createBody = ({ data, members }: Answer): unknown => {
    if (bare) return data;
    const body = family.success(data as object | null);
    return members ? { ...body, ...members } : body;
  };

  // The same data object reuses its body, so that it is serialised and compressed once.
  const bodies = new WeakMap<object, unknown>();
  const bodyOf = (answer: Answer): unknown => {
    const data = answer.data as object;
    if (!compressed) return createBody(answer);
    const body = bodies.get(data) ?? createBody(answer);
    bodies.set(data, body);
    return body;
  };

  return {
    ofAnswer: (answer: Answer): Outcome => {
      const { status, headers, etag, subjects, stream, document } = answer;
      if (stream) {
        const type = { 'Content-Type': streams?.mediaType ?? 'text/plain' };
        return { status, headers: { ...type, ...NO_STORE, ...headers }, body: undefined, stream };
      }
      const validator = etag === undefined ? NO_STORE : { ETag: tag(etag), ...REVALIDATED };
      const type = document ? { 'Content-Type': document.mediaType } : JSON_TYPE;
      const body = document ? document.content : bodyOf(answer);
      return { status, headers: { ...type, ...validator, ...headers }, body, subjects };
    },
    ofFault: (fault: Fault): Outcome => {
      const { status, body } = family.failure(fault);
      const { members, headers } = onFault?.(fault) ?? {};
      return {
        status,
        headers: { ...JSON_TYPE, ...NO_STORE, ...fault.headers, ...headers },
        body: members ? { ...body, ...members } : body,
        subjects: listSubjects(fault),
      };
    },
  };
}

export type Outcomes = ReturnType<typeof createOutcomes>;

/** Seconds. */
const RETRY_AFTER = '2';

/** Any thrown value as a fault, with `Retry-After` where waiting helps. Logs whatever the caller did not cause. */
export function toFault(
  error: unknown,
  operation: string | undefined,
  { withoutStore, foresees }: Pick<Family, 'withoutStore' | 'foresees'>,
  logger: Pick<Logger, 'error'>,
): Fault {
  if (error instanceof Fault && foresees(error)) return error;
  // An unforeseen error with consequences reports them.
  const { cause, answer } =
    error instanceof PosFault
      ? { cause: error.cause, answer: unexpectedOf(error) }
      : { cause: error, answer: createInternalFault(error) };
  if (!isWithoutStore(cause)) {
    logger.error('a request failed', { operation, error: cause ?? error });
    return answer;
  }
  // Every request fails this way while it lasts: one line each, without the stack.
  logger.error('the store is unavailable', { operation, code: withoutStore, reason: cause.message });
  if (withoutStore === 'internal_error') return answer;
  return new Fault(withoutStore, 'The service cannot reach its data at the moment.', { 'Retry-After': RETRY_AFTER });
}

/** An error with consequences stays as it is; without any, the same request may be repeated. */
const unexpectedOf = (error: PosFault): PosFault => {
  const { userLoggedOut, orderCancelled } = error.consequences;
  if (userLoggedOut || orderCancelled) return error;
  return new PosFault(error.errorCode, error.details, { headers: { ...waitFor(error.cause), ...error.headers } });
};

const waitFor = (cause: unknown): FaultHeaders => {
  const seconds = isWithoutStore(cause) ? RETRY_AFTER : cause instanceof Fault && cause.headers['Retry-After'];
  return seconds ? { 'Retry-After': seconds } : {};
};

/** Libraries do not import the store; its errors are recognised by name. */
const isWithoutStore = (error: unknown): error is Error => error instanceof Error && error.name === 'StoreUnavailable';

const createInternalFault = (cause: unknown): Fault =>
  new Fault('internal_error', 'An unexpected error occurred. The log has it under the request id.', waitFor(cause));
