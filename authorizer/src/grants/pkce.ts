import { hash, timingSafeEqual } from 'node:crypto';

/** A challenge of S256 is 32 bytes in base64url (RFC 7636, 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Whether the text can be an S256 challenge. */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

/** Proof Key for Code Exchange (RFC 7636), with the method S256 only. */

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether the verifier belongs to the challenge (4.6). */
export const verifies = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && timingSafeEqual(hash('sha256', verifier, 'buffer'), Buffer.from(challenge, 'base64url'));
