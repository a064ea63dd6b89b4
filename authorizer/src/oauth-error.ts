import { type Code, Fault, type FaultHeaders } from '@boxoffice/envelope';

/** The error codes of RFC 6749, 5.2, that this authorizer gives. */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unauthorized_client';

/** A refusal in the words of both: the envelope's code and the RFC's. `details` is also the error_description, so it is ASCII without quotes. */
export class OAuthFault extends Fault {
  readonly error: OAuthCode;

  constructor(code: Code, error: OAuthCode, details: string, headers: FaultHeaders = {}) {
    super(code, details, headers);
    this.error = error;
  }
}

/** The error of the RFC for a fault that arose elsewhere, for example a body that is too large; undefined for our own failures. */
export const errorOf = (fault: Fault): string => {
  if (fault instanceof OAuthFault) return fault.error;
  if (fault.http === 503) return 'temporarily_unavailable';
  return fault.http >= 500 ? 'server_error' : 'invalid_request';
};
