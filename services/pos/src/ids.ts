import { hash } from 'node:crypto';
import { ID_PATTERN } from '@boxoffice/http';
import { randomId } from '@boxoffice/runtime';

/** A new id: the prefix and 24 characters with 120 random bits. */
export const newId = (prefix: string): string => randomId(prefix, 24);

const ID = new RegExp(ID_PATTERN);

/** Whether a text is a well-formed id; a malformed id is 404 without a remote call. */
export const isId = (text: string): boolean => ID.test(text);

/** A deterministic id: the SHA-256 of the parts, which it does not reveal. */
export const derived = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** The subject of idempotency records about a cart, whose buyer is not known yet. */
export const cartSubject = (orderId: string): string => `cart ${orderId}`;

/** The owner of a session's idempotency keys and the subject of its idempotency records. */
export const ofSession = (sessionId: string): string => derived('session', sessionId);
