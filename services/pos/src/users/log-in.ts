import { PosFault } from '@boxoffice/envelope';
import { networkOf } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { loginAttempts, type UserDocument } from '../store.ts';
import { type Attempt, createLoginAttempts } from './login-attempts.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { createTurnstile } from './turnstile.ts';
import { findUser } from './users.ts';

/**
 * Hashes at once (each takes 19 MiB and a core for 30 ms, and other requests need both). Who waits is turned away long before the gateway
 * gives pos up (15 s), however slow the machine: a flood of logins must not look like a service that is down.
 */
const LIMITS = { inside: 2, waiting: 100, waitingPerAddress: 10, longestWaitMs: 3_000 } as const;

const tooMany = (waitMs: number): PosFault =>
  new PosFault('too_many_requests', 'There were too many attempts to log in; try again later.', {
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
  });

const failed = (): PosFault => new PosFault('login_failed', 'The login and the password do not belong together.');

/** Hears of each login that failed; neither login nor password are told. */
export type Audit = (attempt: Pick<Attempt, 'institution' | 'ip'>, event: 'login_failed' | 'login_throttled') => void;

export interface LogIns {
  /**
   * The user of a login, if the password is right. Rejects with PosFault `login_failed`, `too_many_requests`. `hasLeft`: whether nobody
   * waits for the answer any more; then it gets no turn.
   */
  logIn(attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<UserDocument>;
}

/**
 * Makes the check of logins. An unknown login takes as long as a wrong password and is answered alike. Institutions and addresses take
 * turns, so none is kept waiting by another's attempts. `mostPerAddress`: see createLoginAttempts.
 */
export const createLogIns = (store: Store, audit: Audit, mostPerAddress: number): LogIns => {
  const attempts = createLoginAttempts(store.collection(loginAttempts), mostPerAddress);
  const turnstile = createTurnstile(LIMITS);
  let nobodys: Promise<string> | undefined;

  const throttled = (attempt: Attempt, waitMs: number): PosFault => {
    audit(attempt, 'login_throttled');
    return tooMany(waitMs);
  };

  const check = async (attempt: Attempt, password: string): Promise<UserDocument> => {
    // Counted inside the turnstile, so that few right ones under way never look like many wrong ones.
    const counted = await attempts.count(attempt);
    if (typeof counted === 'number') throw throttled(attempt, counted);
    const user = await findUser(store, attempt.institution, attempt.serviceHost, attempt.login);
    nobodys ??= hashPassword('nobody has this password');
    const right = await isPassword(password, user?.passwordHash ?? (await nobodys));
    if (!user || !right) {
      audit(attempt, 'login_failed');
      throw failed();
    }
    await counted.forgive();
    return user;
  };

  return {
    async logIn(attempt, password, hasLeft) {
      // One small read: whoever is refused anyway takes nobody's place in the queue.
      const waitMs = await attempts.refused(attempt);
      if (waitMs !== undefined) throw throttled(attempt, waitMs);
      const who = { institution: attempt.institution, address: networkOf(attempt.ip), hasLeft };
      const checked = await turnstile.enter(who, () => check(attempt, password));
      if (!checked) throw tooMany(1_000);
      return checked;
    },
  };
};
