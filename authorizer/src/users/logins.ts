import { emailLoginKey, loginKey } from '@boxoffice/logins';
import type { Documents } from '@boxoffice/store';
import type { UserDocument } from '../store.ts';

/** The key of a new user's login: other spellings of the same email have it as well. */
export const keyOf = emailLoginKey;

/**
 * The user of a login, in one query whatever the login. A user who was stored before spellings shared a key has the login
 * as it is written; of two such users the login names the one who is written like it.
 */
export const userOfLogin = async (users: Documents<UserDocument>, login: string): Promise<UserDocument | undefined> => {
  const written = loginKey(login);
  const found = await users.find({ where: { loginKey: { in: [...new Set([written, keyOf(login)])] } }, limit: 2 });
  return found.find((user) => user.loginKey === written) ?? found[0];
};
