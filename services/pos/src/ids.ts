import { hash } from 'node:crypto';
import { randomId } from '@boxoffice/runtime';

/** A new id: the prefix and 24 characters with 120 random bits. */
export const newId = (prefix: string): string => randomId(prefix, 24);

/** The syntax of an id, as the pattern of a JSON Schema. */
export const ID_PATTERN = '^[A-Za-z0-9_-]{1,128}$';

const ID = new RegExp(ID_PATTERN);

/** Whether a text is a well-formed id; a malformed id is 404 without a remote call. */
export const isId = (text: string): boolean => ID.test(text);

/** A deterministic id: the SHA-256 of the parts, which it does not reveal. */
export const derived = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** The owner of a session's idempotency keys and the subject of its idempotency records. */
export const ofSession = (sessionId: string): string => derived('session', sessionId);
