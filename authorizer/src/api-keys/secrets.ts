import { randomBytes } from 'node:crypto';

/** A new API key: 256 random bits, so that a plain hash is safe to store. */
export const makeApiKey = (): string => `bok_${randomBytes(32).toString('base64url')}`;

/** The public id of a new API key. */
export const makeApiKeyId = (): string => `key_${randomBytes(12).toString('base64url')}`;

/** The form of a key's hash, as the gateway sends it. */
export const API_KEY_HASH = /^[A-Za-z0-9_-]{43}$/;
