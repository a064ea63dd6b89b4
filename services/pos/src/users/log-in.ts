import { PosFault } from '@boxoffice/envelope';
import { type Attempt, attemptsCollection, createLogIn, type LogInAudit } from '@boxoffice/logins';
import type { Store } from '@boxoffice/store';
import type { UserDocument } from '../store.ts';
import { findUser } from './users.ts';

const tooMany = (waitMs: number): PosFault =>
  new PosFault('too_many_requests', 'Too many attempts to log in. Try again after the seconds in Retry-After.', {
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
  });

/** Creates the check of logins (libs/logins) in the words of this interface. `mostPerAddress`: see createLoginAttempts. */
export const createLogIns = (store: Store, audit: LogInAudit, mostPerAddress: number) => {
  const check = createLogIn<UserDocument>({
    attempts: store.collection(attemptsCollection),
    mostPerAddress,
    audit,
    find: async ({ institution, realm, login }) => {
      const user = await findUser(store, institution, realm, login);
      return user && { user, passwordHash: user.passwordHash };
    },
  });
  return {
    /**
     * The user of a login, if the password is right. The realm of the attempt is the service host. Rejects with PosFault
     * `login_failed`, `too_many_requests`. `hasLeft`: whether the client has closed the connection; the attempt then
     * leaves the queue.
     */
    async logIn(attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<UserDocument> {
      const checked = await check(attempt, password, hasLeft);
      if (checked.outcome === 'right') return checked.user;
      if (checked.outcome === 'wrong') throw new PosFault('login_failed', 'The login or the password is wrong.');
      throw tooMany(checked.waitMs);
    },
  };
};

export type LogIns = ReturnType<typeof createLogIns>;
