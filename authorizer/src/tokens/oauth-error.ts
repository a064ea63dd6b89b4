import { type Code, Fault, type FaultHeaders } from '@boxoffice/envelope';

/** The error codes of RFC 6749, 5.2, that this authorizer gives. */
type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unauthorized_client';

/** A refusal with both codes: the envelope's and that of RFC 6749. */
export class OAuthFault extends Fault {
  readonly error: OAuthCode;

  constructor(code: Code, error: OAuthCode, details: string, headers: FaultHeaders = {}) {
    super(code, details, headers);
    this.error = error;
  }
}

/** Responses that contain or describe a token are not cached (RFC 6749, 5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

const errorOf = (fault: Fault): string => {
  if (fault instanceof OAuthFault) return fault.error;
  if (fault.code === 'unauthorized') return 'invalid_client';
  if (fault.code === 'forbidden') return 'unauthorized_client';
  if (fault.http === 503) return 'temporarily_unavailable';
  return fault.http >= 500 ? 'server_error' : 'invalid_request';
};

/** Characters that an error_description may not contain (RFC 6749, 5.2). */
const UNDESCRIBABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** The OAuth members and headers of an error (RFC 6749, 5.2). */
export const onOAuthFault = (fault: Fault) => ({
  members: { error: errorOf(fault), error_description: fault.details.replaceAll(UNDESCRIBABLE, "'") },
  headers: NO_STORE,
});
