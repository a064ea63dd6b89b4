import type { Fault } from '@boxoffice/envelope';

/** The endpoints whose errors carry OAuth members as well, for standard OAuth clients. */
const ENDPOINTS = /^(?:https?:\/\/[^/?#]*)?\/auth\/(?:token|introspect|revoke)(?:[?#]|$)/;

/** Characters that an error_description may not contain (RFC 6749, 5.2). */
const UNDESCRIBABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

const errorOf = ({ http }: Fault): string => {
  // The limits are the gateway's; the request itself may be valid.
  if (http === 429 || http === 503) return 'temporarily_unavailable';
  return http >= 500 ? 'server_error' : 'invalid_request';
};

/**
 * The OAuth members of an error (RFC 6749, 5.2); none for other paths and for 404. `url` is the raw request target,
 * because requests can be refused before it is parsed.
 */
export const oauthMembers = (url: string | undefined, fault: Fault): object =>
  fault.http !== 404 && ENDPOINTS.test(url ?? '')
    ? { error: errorOf(fault), error_description: fault.details.replaceAll(UNDESCRIBABLE, "'") }
    : {};
