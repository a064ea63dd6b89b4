import { OAuthFault } from '../tokens/oauth-error.ts';

/** The known fields of a posted form; absent and empty ones are missing. */
export type Form<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** The values of required fields, in order. @throws {OAuthFault} naming every missing field */
export const required = <Name extends string>(form: Form<Name>, names: readonly Name[]): string[] => {
  const missing = names.filter((name) => form[name] === undefined);
  if (missing.length === 0) return names.map((name) => form[name] as string);
  const details = missing.map((name) => `form field ${name} is required`).join('; ');
  throw new OAuthFault('missing_parameter', 'invalid_request', `${details}.`);
};

/** The name and secret that a request presents. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

const SCHEME = /^basic(?:\s+|$)/i;

/** Whether the header uses the Basic scheme, well-formed or not. */
export const isBasic = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && SCHEME.test(authorization);

const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not percent-encoded by the client.
    return text;
  }
};

/**
 * Parses HTTP Basic credentials: split at the first colon, both parts form-decoded (RFC 6749, 2.3.1). Undefined if
 * malformed or incomplete.
 */
export const readBasic = (authorization: string): Credentials | undefined => {
  const decoded = Buffer.from(authorization.replace(SCHEME, '').trim(), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return undefined;
  const id = formDecoded(decoded.slice(0, colon));
  const secret = formDecoded(decoded.slice(colon + 1));
  return id && secret ? { id, secret } : undefined;
};
