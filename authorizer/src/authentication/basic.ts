/** A name and a secret as they were presented. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

const SCHEME = /^basic(?:\s+|$)/i;

/** Whether the header is an attempt at HTTP Basic, well-formed or not. */
export const isBasic = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && SCHEME.test(authorization);

const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Sent raw, by a client that does not encode.
    return text;
  }
};

/** Credentials from HTTP Basic: split at the first colon, both parts form-decoded (RFC 6749, 2.3.1); undefined if malformed or incomplete. */
export const readBasic = (authorization: string): Credentials | undefined => {
  const decoded = Buffer.from(authorization.replace(SCHEME, '').trim(), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return undefined;
  const id = formDecoded(decoded.slice(0, colon));
  const secret = formDecoded(decoded.slice(colon + 1));
  return id && secret ? { id, secret } : undefined;
};
