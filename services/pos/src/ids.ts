import { hash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

/** A new id: the prefix and 24 characters, 120 random bits. */
export const newId = (prefix: string): string =>
  `${prefix}_${[...randomBytes(24)].map((byte) => ALPHABET[byte & 31]).join('')}`;

/** Whether a text can be an id at all; what cannot is as unknown as one that never was, and nobody is asked. */
export const isId = (text: string): boolean => /^[\x21-\x7e]{1,128}$/.test(text);

/** A name that follows from these parts and tells nothing of them. */
export const derived = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');
