import type { Fault } from '@boxoffice/envelope';

/** Where standard OAuth clients read an answer, which know nothing of envelopes. */
const ENDPOINTS = /^(?:https?:\/\/[^/?#]*)?\/auth\/(?:token|introspect|revoke)(?:[?#]|$)/;

/** What an error_description may not contain (RFC 6749, 5.2). */
const UNDESCRIBABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

const errorOf = ({ http }: Fault): string => {
  // The limits are the gateway's: the request itself may be as it should.
  if (http === 429 || http === 503) return 'temporarily_unavailable';
  return http >= 500 ? 'server_error' : 'invalid_request';
};

/**
 * What a fault of an OAuth endpoint carries beside the envelope (RFC 6749, 5.2); nothing elsewhere. `url` is the raw request line's, since
 * requests are refused before it has been read. A 404 says that there is no such endpoint, and so speaks like any other.
 */
export const oauthMembers = (url: string | undefined, fault: Fault): object =>
  fault.http !== 404 && ENDPOINTS.test(url ?? '')
    ? { error: errorOf(fault), error_description: fault.details.replaceAll(UNDESCRIBABLE, "'") }
    : {};
