import { hash, randomBytes } from 'node:crypto';

/** A new user id. */
export const makeUserId = (): string => `usr_${randomBytes(16).toString('base64url')}`;

/** The form of user ids. */
export const USER_ID = /^usr_[A-Za-z0-9_-]{22}$/;

/** The secret of a new invitation: 256 random bits. */
export const makeInvitation = (): string => `inv_${randomBytes(32).toString('base64url')}`;

/** The form of invitations; any other text is not looked up. */
export const INVITATION = /^inv_[A-Za-z0-9_-]{43}$/;

/** The stored form of an invitation's secret. */
export const hashInvitation = (secret: string): string => hash('sha256', secret, 'base64url');
