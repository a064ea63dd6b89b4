import { Fault } from '@boxoffice/envelope';
import { ACCESS_TYPE, type CallerUser, type Role, readUser } from './caller.ts';
import type { KeySet } from './key-set.ts';
import { createTokenVerifier } from './signed-token.ts';

/** The claims of an access token (RFC 9068, 2.2). Times are epoch seconds. */
export type AccessClaims = {
  readonly iss: string;
  readonly aud: string;
  /** The user who signed in; the same as client_id for a client's own token. */
  readonly sub: string;
  readonly client_id: string;
  readonly institution: string;
  /** Space separated (RFC 6749, 3.3); empty for a client without scopes. */
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly role?: Role;
  readonly auth_time?: number;
  readonly contact?: string;
  readonly points_of_sale?: readonly string[];
};

export function toCallerUser({ sub, role, contact, points_of_sale }: AccessClaims): CallerUser | null {
  return role === undefined ? null : { id: sub, role, contact: contact ?? null, pointsOfSale: points_of_sale ?? [] };
}

interface AccessTokenOptions {
  readonly keys: KeySet;
  /** The installation's public address: `iss` and `aud` of every access token. */
  readonly issuer: string;
  readonly now?: () => number;
}

export function createInvalidTokenFault(reason: string): Fault {
  return new Fault('unauthorized', `The access token is not valid: ${reason}.`, {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });
}

/** Does not check revocation and scopes. Rejects with Fault `unauthorized`, or `service_unavailable` without keys. */
export function createAccessTokenVerifier(options: AccessTokenOptions): (token: string) => Promise<AccessClaims> {
  return createTokenVerifier({
    keys: options.keys,
    type: ACCESS_TYPE,
    issuer: options.issuer,
    audience: options.issuer,
    read: readClaims,
    refuse: createInvalidTokenFault,
    now: options.now ?? Date.now,
  });
}

const readClaims = (payload: Readonly<Record<string, unknown>>): AccessClaims | undefined => {
  const texts = [payload.sub, payload.client_id, payload.institution, payload.scope, payload.jti];
  const complete = texts.every((text) => typeof text === 'string') && typeof payload.iat === 'number';
  return complete && isUserComplete(payload) ? (payload as AccessClaims) : undefined;
};

const isUserComplete = ({
  sub,
  client_id,
  role,
  auth_time,
  contact,
  points_of_sale,
}: Readonly<Record<string, unknown>>): boolean => {
  if (role === undefined) return sub === client_id && contact === undefined && points_of_sale === undefined;
  return (
    typeof auth_time === 'number' && readUser({ id: sub, role, contact, pointsOfSale: points_of_sale }) !== undefined
  );
};
