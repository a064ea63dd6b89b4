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
import { createTooManyFault } from '../request/visit.ts';
import { createId, type SessionDocument, type UserDocument, users } from '../store.ts';
import { deleteSessions } from './sessions.ts';

/** Without the password hash. */
type User = Pick<UserDocument, 'id' | 'serviceHost' | 'login' | 'contactNumber' | 'createdAt'>;

interface NewUser extends Pick<UserDocument, 'serviceHost' | 'login' | 'contactNumber'> {
  readonly institution: string;
  readonly password: string;
}

const SHORTEST_PASSWORD = 8;
const LONGEST_LOGIN = 254;

/** @throws {RangeError} if the login or password is invalid, or the login is taken */
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

/** Lists those of all points of sale of the institution without `serviceHost`. */
export async function listUsers(store: Store, institution: string, serviceHost?: string): Promise<User[]> {
  const found = await store
    .collection(users)
    .of(institution)
    .find(serviceHost === undefined ? {} : { where: { serviceHost: serviceHost.toLowerCase() } });
  return found.map(view).sort((a, b) => (`${a.serviceHost} ${a.login}` < `${b.serviceHost} ${b.login}` ? -1 : 1));
}

/** Ends the sessions of the login; resolves to whether it existed. */
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

/** Ends the sessions of the login; resolves to whether it exists. @throws {RangeError} as createUser */
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

/** In the words of this interface. `mostPerAddress`: see createLoginAttempts. */
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
     * The realm of the attempt is the service host; `hasLeft` takes it out of the queue. Rejects with PosFault
     * `login_failed`, `too_many_requests`.
     */
    async logIn(attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<UserDocument> {
      const checked = await check(attempt, password, hasLeft);
      if (checked.outcome === 'right') return checked.user;
      if (checked.outcome === 'wrong') throw new PosFault('login_failed', 'The login or the password is wrong.');
      throw createTooManyFault('attempts to log in', checked.waitMs);
    },
  };
}

export type LogIns = ReturnType<typeof createLogIns>;

/** Per user; with those of a session they fit into one query of orders. */
const MOST = 300;

const NONE: readonly string[] = [];

export function createPurchases(store: Pick<Store, 'collection'>) {
  const all = store.collection(users);
  return {
    /** Idempotent; without effect for a guest. */
    async add({ institution, userId }: SessionDocument, orderId: string): Promise<void> {
      if (userId === null) return;
      await all.of(institution).update(userId, (user) => {
        const { orderIds = NONE } = user;
        return orderIds.includes(orderId)
          ? undefined
          : { next: { ...user, orderIds: [...orderIds, orderId].slice(-MOST) } };
      });
    },

    /** Empty for a guest. */
    async of({ institution, userId }: SessionDocument): Promise<readonly string[]> {
      return userId === null ? NONE : ((await all.of(institution).get(userId))?.orderIds ?? NONE);
    },
  };
}

export type Purchases = ReturnType<typeof createPurchases>;
