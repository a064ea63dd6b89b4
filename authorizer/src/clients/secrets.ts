import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { MAX_SECRETS, type Secret } from '../domain/client.ts';

/** A new client secret: 256 random bits, so that a plain hash is safe; a password hash would only cost throughput. */
export const makeSecret = (): string => randomBytes(32).toString('base64url');

/** A new client id. */
export const makeClientId = (): string => `cli_${randomBytes(16).toString('base64url')}`;

/** The form of client ids. Any other presented id may be a misplaced secret, so it is neither logged nor looked up. */
export const CLIENT_ID = /^cli_[A-Za-z0-9_-]{22}$/;

/** A new secret's id. */
export const makeSecretId = (): string => `sec_${randomBytes(12).toString('base64url')}`;

/** The stored form of a secret. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Compared in place of a missing secret; no secret has this hash. */
const NO_HASH = Buffer.alloc(32);

/**
 * The client's secret that matches, or undefined. The time does not depend on whether the client exists, on its number
 * of secrets, or on which one matches.
 */
export const matchSecret = (secrets: readonly Secret[], presented: string): Secret | undefined => {
  const candidate = hash('sha256', presented, 'buffer');
  let match: Secret | undefined;
  for (let slot = 0; slot < MAX_SECRETS; slot += 1) {
    const secret = secrets[slot];
    const known = secret ? Buffer.from(secret.hash, 'base64url') : NO_HASH;
    if (timingSafeEqual(known, candidate) && secret) match = secret;
  }
  return match;
};
