import { type Code, registry } from './registry.ts';

/** Headers that an error answer carries, such as `Retry-After`. */
export type FaultHeaders = Readonly<Record<string, string>>;

/**
 * The one way in which code refuses a request. One place turns it into HTTP; anything else that is thrown
 * becomes `internal_error`. `details` is English, for humans, and never needed to understand `code`.
 */
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
