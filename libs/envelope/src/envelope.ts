import { type Code, registry } from './registry.ts';

/** A family A answer with a 2xx status (specification, section 2). */
export interface Success<Data> {
  readonly status: 'success';
  readonly details: null;
  readonly data: Data;
}

/** A family A answer with a 4xx or 5xx status: `data` is null, but for the one exception that contacts can build. */
export interface Failure<Data = null> {
  readonly status: string;
  readonly details: string;
  readonly data: Data;
}

export function success<Data extends object | null>(data: Data): Success<Data> {
  return {
    status: 'success',
    details: null,
    data,
  };
}

/** Builds the envelope of an error; `details` must not be empty. */
export function failure(code: Code, details: string): Failure {
  return {
    status: registry[code].status,
    details,
    data: null,
  };
}

export type FaultHeaders = Readonly<Record<string, string>>;

/** The one way to refuse a request; any other error is `internal_error`. `details` is English, for humans. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: Code;
  readonly details: string;
  readonly headers: FaultHeaders;

  constructor(code: Code, details: string, headers: FaultHeaders = {}) {
    super(`${code}: ${details}`);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get http(): number {
    return registry[this.code].http;
  }
}
