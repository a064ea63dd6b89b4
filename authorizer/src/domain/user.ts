import { normaliseServiceHosts } from './client.ts';
import type { Role } from './scopes.ts';

export const STATES = ['invited', 'active', 'locked'] as const;

/** `invited` without a password, until one is set; `locked` by an administrator. */
export type State = (typeof STATES)[number];

export interface Invitation {
  /** SHA-256 of its secret, base64url. */
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface UserDetails {
  readonly name: string;
  readonly role: Role;
  readonly contactNumber: string | null;
  /** Service hosts: the points of sale whose orders a box office user sees; empty: all of them. */
  readonly pointsOfSale: readonly string[];
}

export interface User extends UserDetails {
  readonly login: string;
  /** The email in the form that equal ones share. */
  readonly loginKey: string;
  readonly state: State;
  /** Argon2id, in PHC string format; null until one is set. */
  readonly passwordHash: string | null;
  readonly invitation: Invitation | null;
  /** Sign-ins up to then, and their tokens, have ended: a new password, a lock. Epoch milliseconds; 0 for never. */
  readonly signedOutAt: number;
  /** Incremented by each change of what others see of the user, but not by a sign-in. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSignInAt: string | null;
}

export const INVITATION_MS = 7 * 24 * 60 * 60_000;

export const SHORTEST_PASSWORD = 12;

export function buildUser(
  details: UserDetails & Pick<User, 'login' | 'loginKey'>,
  invitation: Invitation,
  now: Date,
): User {
  return {
    ...details,
    pointsOfSale: normaliseServiceHosts(details.pointsOfSale),
    state: 'invited',
    passwordHash: null,
    invitation,
    signedOutAt: 0,
    revision: 1,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    lastSignInAt: null,
  };
}

export type UserChange = Partial<UserDetails> & { readonly state?: State };

export type Refusal = 'customer_without_contact' | 'not_active_yet' | 'invited_by_hand' | 'locked' | 'not_locked';

/** Changes a user. Locking ends the sign-ins and the pending invitation. */
export function amend<T extends User>(user: T, change: UserChange, now: Date): T | Refusal {
  const { name = user.name, role = user.role, contactNumber = user.contactNumber } = change;
  const state = nextState(user, change.state);
  if (!isState(state)) return state;
  if (role === 'customer' && contactNumber === null) return 'customer_without_contact';
  const pointsOfSale = normaliseServiceHosts(change.pointsOfSale ?? user.pointsOfSale);
  const locks = state === 'locked' && user.state !== 'locked';
  const ended = locks ? { invitation: null, signedOutAt: now.getTime() } : {};
  return applyChange(user, { name, role, contactNumber, pointsOfSale, state, ...ended }, now);
}

/** The next state: unlocking a user without a password leaves an invited one. */
const nextState = (user: User, wanted: State | undefined): State | Refusal => {
  if (wanted === undefined || wanted === user.state) return user.state;
  if (wanted === 'locked') return 'locked';
  if (wanted === 'invited') return 'invited_by_hand';
  if (user.passwordHash !== null) return 'active';
  return user.state === 'locked' ? 'invited' : 'not_active_yet';
};

const isState = (state: State | Refusal): state is State => STATES.some((one) => one === state);

const applyChange = <T extends User>(user: T, change: Partial<User>, now: Date): T => ({
  ...user,
  ...change,
  updatedAt: now.toISOString(),
  revision: user.revision + 1,
});

/** Takes the contact, which was erased, from a user who is more than that contact. */
export function removeContact<T extends User>(user: T, now: Date): T {
  return applyChange(user, { contactNumber: null }, now);
}

/** Invites a user to set a password; an earlier invitation ends. */
export function invite<T extends User>(user: T, invitation: Invitation, now: Date): T | Refusal {
  return user.state === 'locked' ? 'locked' : applyChange(user, { invitation }, now);
}

/** For a password that somebody else may know: it is forgotten, and the invitation sets a new one. */
export function readmit<T extends User>(user: T, invitation: Invitation, now: Date): T | Refusal {
  return user.state === 'locked'
    ? applyChange(user, { state: 'invited', passwordHash: null, invitation, signedOutAt: now.getTime() }, now)
    : 'not_locked';
}

export function isInvited({ invitation, state }: User, hash: string, now: number): boolean {
  return state !== 'locked' && invitation !== null && invitation.hash === hash && invitation.expiresAt > now;
}

/** Sets a password: the user is active, all sign-ins and the pending invitation end. */
export function applyPassword<T extends User>(user: T, passwordHash: string, now: Date): T {
  return applyChange(user, { passwordHash, state: 'active', invitation: null, signedOutAt: now.getTime() }, now);
}

export function setLastSignIn<T extends User>(user: T, now: Date): T {
  return { ...user, lastSignInAt: now.toISOString() };
}

export function isActiveAdmin({ role, state }: Pick<User, 'role' | 'state'>): boolean {
  return role === 'admin' && state === 'active';
}

/** The times of a user's session. Epoch milliseconds. */
export interface SessionTimes {
  /** When the user entered the password. */
  readonly signedInAt: number;
  /** Updated about once a minute. */
  readonly lastSeenAt: number;
  /** The absolute end. */
  readonly expiresAt: number;
}

/** How long a session lives without use. */
export const SESSION_IDLE_MS = 30 * 60_000;

/** How long a session lives in any case. */
export const SESSION_ABSOLUTE_MS = 12 * 3_600_000;

export const TOUCH_MS = 60_000;

export function isOpen({ lastSeenAt, expiresAt }: SessionTimes, at: number): boolean {
  return at < expiresAt && at < lastSeenAt + SESSION_IDLE_MS;
}

/** Whether the user entered the password recently enough (OpenID Connect Core, 3.1.2.1, `max_age`). */
export function isFresh({ signedInAt }: SessionTimes, maxAgeSeconds: number | undefined, at: number): boolean {
  return maxAgeSeconds === undefined || at - signedInAt <= maxAgeSeconds * 1000;
}
