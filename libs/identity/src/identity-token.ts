import type { KeyObject } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import jwt from 'jsonwebtoken';
import { type Caller, IDENTITY_LIFETIME_SECONDS, IDENTITY_TYPE, type IdentityVerifier } from './caller.ts';
import { IDENTITY_ISSUER, SIGNATURE_ALGORITHM } from './constants.ts';
import type { KeySet } from './key-set.ts';
import { createTokenVerifier } from './signed-token.ts';

/** A private ES256 key and the id under which its public half is published. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

export interface IdentityTokenOptions {
  /** The service that the token is for. */
  readonly audience: string;
  readonly caller: Caller;
  /** Epoch seconds. */
  readonly issuedAt: number;
  /** Seconds, at most IDENTITY_LIFETIME_SECONDS. */
  readonly lifetime?: number;
}

/** Signs an identity token. Verifiers accept the authorizer's keys only. */
export const signIdentity = (key: SigningKey, options: IdentityTokenOptions): string => {
  const { audience, caller, issuedAt, lifetime = IDENTITY_LIFETIME_SECONDS } = options;
  const claims = {
    iss: IDENTITY_ISSUER,
    aud: audience,
    institution: caller.institution,
    ...(caller.client === null ? {} : { client: caller.client }),
    ...(caller.service === null ? {} : { service: caller.service }),
    scope: caller.scopes.join(' '),
    operation: caller.operation,
    iat: issuedAt,
    exp: issuedAt + Math.min(lifetime, IDENTITY_LIFETIME_SECONDS),
  };
  return jwt.sign(claims, key.privateKey, {
    algorithm: SIGNATURE_ALGORITHM,
    header: { alg: SIGNATURE_ALGORITHM, typ: IDENTITY_TYPE, kid: key.kid },
  });
};

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const readCaller = (payload: Readonly<Record<string, unknown>>): Caller | undefined => {
  const { institution, operation, scope, iat, exp } = payload;
  if (typeof institution !== 'string' || typeof operation !== 'string' || typeof scope !== 'string') return undefined;
  if (typeof iat !== 'number' || Number(exp) - iat > IDENTITY_LIFETIME_SECONDS) return undefined;
  return {
    institution,
    operation,
    client: textOrNull(payload.client),
    service: textOrNull(payload.service),
    scopes: scope.split(' ').filter(Boolean),
  };
};

export interface IdentityVerifierOptions {
  readonly keys: KeySet;
  /** The name of the verifying service. */
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Creates a service's check of identity tokens; it rejects with Fault `unauthorized`, or `service_unavailable` without
 * keys.
 */
export const createIdentityVerifier = (options: IdentityVerifierOptions): IdentityVerifier =>
  createTokenVerifier<Caller>({
    keys: options.keys,
    type: IDENTITY_TYPE,
    issuer: IDENTITY_ISSUER,
    audience: options.audience,
    read: readCaller,
    refuse: (reason) => new Fault('unauthorized', `The identity token is not valid: ${reason}.`),
    now: options.now ?? Date.now,
  });
