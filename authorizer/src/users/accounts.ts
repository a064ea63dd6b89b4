import type { CallerUser } from '@boxoffice/identity';
import { type Attempt, attemptsCollection, createLogIn, type LogInOptions, toEmailLoginKey } from '@boxoffice/logins';
import type { Documents, Store } from '@boxoffice/store';
import { selectRoleScopes } from '../domain/scopes.ts';
import { setLastSignIn } from '../domain/user.ts';
import { type UserDocument, usersCollection } from '../store.ts';

export async function findUserByLogin(
  users: Documents<UserDocument>,
  login: string,
): Promise<UserDocument | undefined> {
  const [found] = await users.find({ where: { loginKey: toEmailLoginKey(login) }, limit: 1 });
  return found;
}

export interface Account extends CallerUser {
  readonly institution: string;
  readonly login: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly signedOutAt: number;
}

export function isSignedIn({ signedOutAt }: Pick<Account, 'signedOutAt'>, signedInAt: number): boolean {
  return signedInAt > signedOutAt;
}

/** What is known of a user by scope (OpenID Connect Core, 5.4). Addresses are not verified. */
export function buildUserClaims({ id, name, login }: Account, scopes: readonly string[]) {
  return {
    sub: id,
    ...(scopes.includes('profile') ? { name } : {}),
    ...(scopes.includes('email') ? { email: login, email_verified: false } : {}),
  };
}

/** The realm of users, beside the service hosts of points of sale. */
const REALM = 'users';

export type Accounts = ReturnType<typeof createAccounts>;

interface AccountsOptions extends Omit<LogInOptions<Account>, 'attempts' | 'find'> {
  readonly knownScopes: () => readonly string[];
}

export function createAccounts(store: Store, options: AccountsOptions) {
  const { now = Date.now, knownScopes } = options;
  const users = store.collection(usersCollection);

  const logIn = createLogIn<Account>({
    ...options,
    attempts: store.collection(attemptsCollection),
    find: async ({ institution, login }) => {
      const found = await findUserByLogin(users.of(institution), login);
      const user = found && toAccount(found, knownScopes());
      return user && found.passwordHash !== null ? { user, passwordHash: found.passwordHash } : undefined;
    },
  });

  return {
    /** The user; undefined if there is none, or if they may not sign in. Reads the store at each call. */
    current: async (institution: string, userId: string): Promise<Account | undefined> => {
      const user = await users.of(institution).get(userId);
      return user && toAccount(user, knownScopes());
    },
    /** Throttled. An unknown login, a locked user and a wrong password have the same outcome after the same time. */
    verify: (attempt: Omit<Attempt, 'realm'>, password: string, hasLeft?: () => boolean) =>
      logIn({ ...attempt, realm: REALM }, password, hasLeft),
    recordSignIn: async (institution: string, userId: string): Promise<void> => {
      await users.of(institution).update(userId, (user) => ({ next: setLastSignIn(user, new Date(now())) }));
    },
  };
}

/** The account of a user who may sign in; undefined for one who is invited or locked. */
const toAccount = (user: UserDocument, scopes: readonly string[]): Account | undefined => {
  const { id, institution, login, name, role, state, signedOutAt } = user;
  if (state !== 'active') return undefined;
  return {
    id,
    institution,
    login,
    name,
    role,
    ...toRestriction(user),
    scopes: selectRoleScopes(role, scopes),
    signedOutAt,
  };
};

/** What the user's role lets restrict its data: a contact a customer, points of sale a box office. */
const toRestriction = ({ role, contactNumber, pointsOfSale }: UserDocument) => ({
  contact: role === 'customer' ? contactNumber : null,
  pointsOfSale: role === 'box_office' ? pointsOfSale : [],
});
