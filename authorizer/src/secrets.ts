import { hash, randomBytes } from 'node:crypto';

/** Random text, of 256 bits unless said: a plain hash of it is safe; a password hash would only cost throughput. */
export function makeSecret(prefix = '', bytes = 32): string {
  return `${prefix}${randomBytes(bytes).toString('base64url')}`;
}

/** SHA-256 in base64url: what is stored of a secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
