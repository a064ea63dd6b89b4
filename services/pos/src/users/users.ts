// Logins of points of sale: users and their passwords.
import { hashPassword, LONGEST_PASSWORD, loginKey } from '@boxoffice/logins';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { newId } from '../ids.ts';
import { deleteSessions } from '../sessions/sessions.ts';
import { type UserDocument, users } from '../store.ts';

/** A user as operators see it, without the password hash. */
export type User = Pick<UserDocument, 'id' | 'serviceHost' | 'login' | 'contactNumber' | 'createdAt'>;

export interface NewUser extends Pick<UserDocument, 'serviceHost' | 'login' | 'contactNumber'> {
  readonly institution: string;
  readonly password: string;
}

const SHORTEST_PASSWORD = 8;
const LONGEST_LOGIN = 254;

const view = ({ id, serviceHost, login, contactNumber, createdAt }: UserDocument): User => {
  return { id, serviceHost, login, contactNumber, createdAt };
};

/** @throws {RangeError} if the length is out of range; the message does not contain the password */
const checkPassword = (password: string): void => {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD)
    throw new RangeError(`the password must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
};

/** The user of a login at a point of sale; undefined if there is none. */
export const findUser = async (
  store: Store,
  institution: string,
  serviceHost: string,
  login: string,
): Promise<UserDocument | undefined> => {
  const where = { serviceHost: serviceHost.toLowerCase(), login: loginKey(login) };
  const [found] = await store.collection(users).of(institution).find({ where, limit: 1 });
  return found;
};

/**
 * Creates a login of a contact at a point of sale. @throws {RangeError} if the login or password is invalid, or the
 * login is taken
 */
export const createUser = async (
  store: Store,
  { institution, serviceHost, login, password, contactNumber }: NewUser,
): Promise<User> => {
  const key = loginKey(login);
  if (key === '' || key.length > LONGEST_LOGIN)
    throw new RangeError(`the login must have 1 to ${LONGEST_LOGIN} characters`);
  checkPassword(password);
  const user = {
    id: newId('usr'),
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
};

/**
 * The users of a point of sale, or of all points of sale of the institution, in the order of service host and login.
 */
export const listUsers = async (store: Store, institution: string, serviceHost?: string): Promise<User[]> => {
  const found = await store
    .collection(users)
    .of(institution)
    .find(serviceHost === undefined ? {} : { where: { serviceHost: serviceHost.toLowerCase() } });
  return found.map(view).sort((a, b) => (`${a.serviceHost} ${a.login}` < `${b.serviceHost} ${b.login}` ? -1 : 1));
};

/** Deletes a login and ends its sessions; resolves to whether the login existed. */
export const removeUser = async (
  store: Store,
  institution: string,
  serviceHost: string,
  login: string,
): Promise<boolean> => {
  const user = await findUser(store, institution, serviceHost, login);
  if (!user) return false;
  const removed = await store.collection(users).of(institution).delete(user.id);
  await deleteSessions(store, institution, { userId: user.id });
  return removed;
};

/**
 * Changes a password and ends the sessions of the login; resolves to whether the login exists. @throws {RangeError} as
 * createUser
 */
export const setPassword = async (
  store: Store,
  institution: string,
  serviceHost: string,
  login: string,
  password: string,
): Promise<boolean> => {
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
};
