import { PosFault } from '@boxoffice/envelope';
import { networkOf } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { loginAttempts, type UserDocument } from '../store.ts';
import { type Attempt, createLoginAttempts } from './login-attempts.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { createTurnstile } from './turnstile.ts';
import { findUser } from './users.ts';

/**
 * Concurrent hashes: each takes 19 MiB and a core for 30 ms. The longest wait is far below the gateway's timeout (15
 * s), so that a flood of logins is never mistaken for an outage of the service.
 */
const LIMITS = { inside: 2, waiting: 100, waitingPerAddress: 10, longestWaitMs: 3_000 } as const;

const tooMany = (waitMs: number): PosFault =>
  new PosFault('too_many_requests', 'Too many attempts to log in. Try again after the seconds in Retry-After.', {
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
  });

const failed = (): PosFault => new PosFault('login_failed', 'The login or the password is wrong.');

/** Called for each failed login; the event contains neither login nor password. */
export type Audit = (attempt: Pick<Attempt, 'institution' | 'ip'>, event: 'login_failed' | 'login_throttled') => void;

export interface LogIns {
  /**
   * The user of a login, if the password is right. Rejects with PosFault `login_failed`, `too_many_requests`.
   * `hasLeft`: whether the client has closed the connection; the attempt then leaves the queue.
   */
  logIn(attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<UserDocument>;
}

/**
 * Creates the check of logins. An unknown login and a wrong password give the same answer after the same time.
 * Institutions and addresses share the hashing in turns, so that a flood from one does not delay others.
 * `mostPerAddress`: see createLoginAttempts.
 */
export const createLogIns = (store: Store, audit: Audit, mostPerAddress: number): LogIns => {
  const attempts = createLoginAttempts(store.collection(loginAttempts), mostPerAddress);
  const turnstile = createTurnstile(LIMITS);
  /** The hash that is verified for unknown logins. */
  let decoyHash: Promise<string> | undefined;

  const throttled = (attempt: Attempt, waitMs: number): PosFault => {
    audit(attempt, 'login_throttled');
    return tooMany(waitMs);
  };

  const check = async (attempt: Attempt, password: string): Promise<UserDocument> => {
    // Counted inside the turnstile, so that waiting attempts with right passwords do not count as failures.
    const counted = await attempts.count(attempt);
    if (typeof counted === 'number') throw throttled(attempt, counted);
    const user = await findUser(store, attempt.institution, attempt.serviceHost, attempt.login);
    decoyHash ??= hashPassword('decoy');
    const right = await isPassword(password, user?.passwordHash ?? (await decoyHash));
    if (!user || !right) {
      audit(attempt, 'login_failed');
      throw failed();
    }
    await counted.forgive();
    return user;
  };

  return {
    async logIn(attempt, password, hasLeft) {
      // One small read, so that an address over its limit takes no place in the queue.
      const waitMs = await attempts.refused(attempt);
      if (waitMs !== undefined) throw throttled(attempt, waitMs);
      const who = { institution: attempt.institution, address: networkOf(attempt.ip), hasLeft };
      const checked = await turnstile.enter(who, () => check(attempt, password));
      if (!checked) throw tooMany(1_000);
      return checked;
    },
  };
};
