import { hash } from 'node:crypto';
import { randomId } from '@boxoffice/runtime';

/** A new id: the prefix and 24 characters, 120 random bits. */
export const newId = (prefix: string): string => randomId(prefix, 24);

/** How an id is spelt. */
export const ID_PATTERN = '^[A-Za-z0-9_-]{1,128}$';

const ID = new RegExp(ID_PATTERN);

/** Whether a text can be an id at all; one that cannot is as unknown as one that never was, without a remote call. */
export const isId = (text: string): boolean => ID.test(text);

/** A name that follows from these parts and tells nothing of them. */
export const derived = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** What a session's idempotency keys belong to, and its remembered answers speak of. */
export const ofSession = (sessionId: string): string => derived('session', sessionId);
