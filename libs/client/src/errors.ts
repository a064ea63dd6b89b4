import type { Individual, StatusCode, Structure } from './generated/types.ts';

/** A code that the descriptions know, or one that came later. */
export type Status = StatusCode | 'not_modified' | (string & Record<never, never>);

/** What a refusal carries: the existing contact for a duplicate email, else nothing. */
export type ErrorData<Code> = Code extends 'contact_duplicate_email' ? Individual | Structure | null : null;

const GENERIC: Readonly<Record<number, Status>> = {
  304: 'not_modified',
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'payload_too_large',
  422: 'validation_error',
  429: 'too_many_requests',
  431: 'headers_too_large',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'service_unavailable',
};

/** What to take an unknown code for. */
export function toGenericStatus(httpStatus: number): Status {
  return GENERIC[httpStatus] ?? (httpStatus < 500 ? 'bad_request' : 'internal_error');
}

export interface Refusal {
  readonly status: Status;
  readonly httpStatus: number;
  readonly details: string | null;
  readonly data: unknown;
  readonly headers: Headers;
  readonly envelope: Readonly<Record<string, unknown>>;
}

const secondsOf = (value: string | null): number | null => {
  if (value === null || value.trim() === '') return null;
  const seconds = Number(value);
  const left = Number.isFinite(seconds) ? seconds : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(left) ? Math.max(0, left) : null;
};

/** A refusal of the interface: every answer that is no success, and 304 to an `ifNoneMatch`. */
export class ApiError<Code extends Status = Status> extends Error {
  override readonly name: string = 'ApiError';
  /** The code; the only member to switch on. */
  readonly status: Code;
  readonly httpStatus: number;
  /** For humans; its wording may change. */
  readonly details: string | null;
  readonly data: ErrorData<Code>;
  readonly requestId: string | null;
  readonly headers: Headers;
  /** Seconds after which a repetition may succeed, where the answer says that (`Retry-After`). */
  readonly retryAfter: number | null;

  constructor(refusal: Refusal) {
    const { status, httpStatus, details, data, headers } = refusal;
    const requestId = headers.get('x-request-id');
    super(`${status} (${httpStatus})${details ? `: ${details}` : ''}${requestId ? ` [request ${requestId}]` : ''}`);
    this.status = status as Code;
    this.httpStatus = httpStatus;
    this.details = details;
    this.data = data as ErrorData<Code>;
    this.requestId = requestId;
    this.headers = headers;
    this.retryAfter = secondsOf(headers.get('retry-after'));
  }

  get genericStatus(): Status {
    return toGenericStatus(this.httpStatus);
  }
}

/** No answer arrived: the network failed, or the time was over. Whether the request had an effect is not known. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Whether an error is a refusal, with one of these codes if any are named. */
export function isApiError<Code extends Status = Status>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiError<Code> {
  return error instanceof ApiError && (codes.length === 0 || (codes as readonly Status[]).includes(error.status));
}
