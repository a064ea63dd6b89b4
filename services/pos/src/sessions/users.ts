import { PosFault } from '@boxoffice/envelope';
import {
  type Attempt,
  attemptsCollection,
  createLogIn,
  hashPassword,
  LONGEST_PASSWORD,
  type LogInAudit,
  toLoginKey,
} from '@boxoffice/logins';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { createId, type SessionDocument, type UserDocument, users } from '../store.ts';
import { deleteSessions } from './sessions.ts';

// Logins of points of sale: users and their passwords.

/** A user as operators see it, without the password hash. */
export type User = Pick<UserDocument, 'id' | 'serviceHost' | 'login' | 'contactNumber' | 'createdAt'>;

export interface NewUser extends Pick<UserDocument, 'serviceHost' | 'login' | 'contactNumber'> {
  readonly institution: string;
  readonly password: string;
}

const SHORTEST_PASSWORD = 8;
const LONGEST_LOGIN = 254;

/**
 * Creates a login of a contact at a point of sale. @throws {RangeError} if the login or password is invalid, or the
 * login is taken
 */
export async function createUser(
  store: Store,
  { institution, serviceHost, login, password, contactNumber }: NewUser,
): Promise<User> {
  const key = toLoginKey(login);
  if (key === '' || key.length > LONGEST_LOGIN)
    throw new RangeError(`the login must have 1 to ${LONGEST_LOGIN} characters`);
  checkPassword(password);
  const user = {
    id: createId('usr'),
    serviceHost: serviceHost.toLowerCase(),
    login: key,
    passwordHash: await hashPassword(password),
    contactNumber,
    createdAt: new Date().toISOString(),
  };
  return store
    .collection(users)
    .of(institution)
    .insert(user)
    .then(view, (error: unknown) => {
      if (error instanceof UniqueViolation) throw new RangeError(`the login ${key} is taken at ${user.serviceHost}`);
      throw error;
    });
}

/** @throws {RangeError} if the length is out of range; the message does not contain the password */
const checkPassword = (password: string): void => {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD)
    throw new RangeError(`the password must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
};

const view = ({ id, serviceHost, login, contactNumber, createdAt }: UserDocument): User => {
  return { id, serviceHost, login, contactNumber, createdAt };
};

/**
 * The users of a point of sale, or of all points of sale of the institution, in the order of service host and login.
 */
export async function listUsers(store: Store, institution: string, serviceHost?: string): Promise<User[]> {
  const found = await store
    .collection(users)
    .of(institution)
    .find(serviceHost === undefined ? {} : { where: { serviceHost: serviceHost.toLowerCase() } });
  return found.map(view).sort((a, b) => (`${a.serviceHost} ${a.login}` < `${b.serviceHost} ${b.login}` ? -1 : 1));
}

/** Deletes a login and ends its sessions; resolves to whether the login existed. */
export async function removeUser(
  store: Store,
  institution: string,
  serviceHost: string,
  login: string,
): Promise<boolean> {
  const user = await findUser(store, institution, serviceHost, login);
  if (!user) return false;
  const removed = await store.collection(users).of(institution).delete(user.id);
  await deleteSessions(store, institution, { userId: user.id });
  return removed;
}

/** The user of a login at a point of sale; undefined if there is none. */
const findUser = async (
  store: Store,
  institution: string,
  serviceHost: string,
  login: string,
): Promise<UserDocument | undefined> => {
  const where = { serviceHost: serviceHost.toLowerCase(), login: toLoginKey(login) };
  const [found] = await store.collection(users).of(institution).find({ where, limit: 1 });
  return found;
};

/**
 * Changes a password and ends the sessions of the login; resolves to whether the login exists. @throws {RangeError} as
 * createUser
 */
export async function setPassword(
  store: Store,
  institution: string,
  serviceHost: string,
  login: string,
  password: string,
): Promise<boolean> {
  checkPassword(password);
  const user = await findUser(store, institution, serviceHost, login);
  if (!user) return false;
  const passwordHash = await hashPassword(password);
  const changed = await store
    .collection(users)
    .of(institution)
    .update(user.id, (current) => ({ next: { ...current, passwordHash } }));
  await deleteSessions(store, institution, { userId: user.id });
  return changed !== undefined;
}

/**
 * Creates the check of logins (libs/logins) in the words of this interface. `mostPerAddress`: see createLoginAttempts.
 */
export function createLogIns(store: Store, audit: LogInAudit, mostPerAddress: number) {
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
     * The user of a login, if the password is right. The realm of the attempt is the service host. Rejects with
     * PosFault `login_failed`, `too_many_requests`. `hasLeft`: whether the client has closed the connection; the
     * attempt then leaves the queue.
     */
    async logIn(attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<UserDocument> {
      const checked = await check(attempt, password, hasLeft);
      if (checked.outcome === 'right') return checked.user;
      if (checked.outcome === 'wrong') throw new PosFault('login_failed', 'The login or the password is wrong.');
      throw tooMany(checked.waitMs);
    },
  };
}

const tooMany = (waitMs: number): PosFault =>
  new PosFault('too_many_requests', 'Too many attempts to log in. Try again after the seconds in Retry-After.', {
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
  });

export type LogIns = ReturnType<typeof createLogIns>;

/** Maximum orders per user, the latest ones; with those of a session they fit into one query of orders. */
const MOST = 300;

const NONE: readonly string[] = [];

/**
 * Creates the record of the orders that logged-in users bought for a contact other than their own, stored in the
 * document of the user and deleted with it.
 */
export function createPurchases(store: Pick<Store, 'collection'>) {
  const all = store.collection(users);
  return {
    /** Records that the session's user buys the order; idempotent, and without effect for a guest. */
    async add({ institution, userId }: SessionDocument, orderId: string): Promise<void> {
      if (userId === null) return;
      await all.of(institution).update(userId, (user) => {
        const { orderIds = NONE } = user;
        return orderIds.includes(orderId)
          ? undefined
          : { next: { ...user, orderIds: [...orderIds, orderId].slice(-MOST) } };
      });
    },

    /** Ids of these orders of the session's user; empty for a guest. */
    async of({ institution, userId }: SessionDocument): Promise<readonly string[]> {
      return userId === null ? NONE : ((await all.of(institution).get(userId))?.orderIds ?? NONE);
    },
  };
}

export type Purchases = ReturnType<typeof createPurchases>;
