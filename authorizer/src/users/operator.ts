import { Fault } from '@boxoffice/envelope';
import { createCheck } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { ROLES, type Role } from '../domain/scopes.ts';
import { usersCollection } from '../store.ts';
import { createPasswordFault, findPasswordProblem } from './passwords.ts';
import { createUsers } from './users.ts';
import { NewUser, toInvitedUserView, toUserView } from './view.ts';

interface ApiUserOptions {
  readonly institution: string;
  readonly login: string;
  readonly publicUrl: string;
}

interface NewApiUser extends ApiUserOptions {
  readonly name: string;
  readonly role: string;
  readonly contactNumber?: string | null;
  readonly pointsOfSale?: readonly string[];
}

const check = createCheck(NewUser);

/** The link is returned only here. @throws {Fault} user_duplicate_login, semantically_invalid, validation_error */
export async function createApiUser(
  store: Store,
  { institution, role, publicUrl, login, name, contactNumber = null, pointsOfSale = [] }: NewApiUser,
) {
  if (!isRole(role))
    throw new Fault('semantically_invalid', `There is no role ${role}; there are ${ROLES.join(', ')}.`);
  const details = { login, name, role, contactNumber, pointsOfSale: [...pointsOfSale] };
  check(details);
  const { user, invitation } = await createUsers(store, { publicUrl }).create(institution, details);
  return toInvitedUserView(user, invitation);
}

const isRole = (text: string): text is Role => ROLES.some((role) => role === text);

export async function listApiUsers(store: Store, institution?: string) {
  const users = store.collection(usersCollection);
  const documents = institution === undefined ? users.acrossInstitutions : users.of(institution);
  return (await documents.find({ orderBy: 'createdAt' })).map(toUserView);
}

/** Locking ends sign-ins and tokens. @throws {Fault} not_found, user_last_admin, conflict */
export async function setApiUserState(store: Store, options: ApiUserOptions, state: 'locked' | 'active' = 'locked') {
  const { users, user } = await requireUser(store, options);
  if (state === 'active' && user.state === 'invited')
    refuse(`${user.login} has no password yet; api-users invite makes a new link.`);
  return toUserView(await users.amend(options.institution, user.id, { state }));
}

/** The user of a login. @throws {Fault} not_found */
const requireUser = async (store: Store, { institution, login, publicUrl }: ApiUserOptions) => {
  const users = createUsers(store, { publicUrl });
  const user = await users.ofLogin(institution, login);
  if (!user) throw new Fault('not_found', `${institution} has no user ${login}.`);
  return { users, user };
};

/** A refusal in the words of the operator's commands, not of the interface. */
const refuse = (text: string): never => {
  throw new Fault('conflict', text);
};

/** Makes a new invitation; the link is returned only here. @throws {Fault} not_found, conflict for a locked user */
export async function inviteApiUser(store: Store, options: ApiUserOptions) {
  const { users, user } = await requireUser(store, options);
  if (user.state === 'locked') refuse(`${user.login} is locked; api-users unlock --invite makes a link and unlocks.`);
  const { user: invited, invitation } = await users.invite(options.institution, user.id);
  return toInvitedUserView(invited, invitation);
}

/** The link is returned only here. @throws {Fault} not_found, conflict for a user who is not locked */
export async function readmitApiUser(store: Store, options: ApiUserOptions) {
  const { users, user } = await requireUser(store, options);
  if (user.state !== 'locked') refuse(`${user.login} is not locked; api-users lock ends its sign-ins first.`);
  const { user: readmitted, invitation } = await users.readmit(options.institution, user.id);
  return toInvitedUserView(readmitted, invitation);
}

/** Sets the password of a user, who is active then. @throws {Fault} not_found; for a password that is refused */
export async function setApiUserPassword(store: Store, options: ApiUserOptions, password: string) {
  const { users, user } = await requireUser(store, options);
  const problem = findPasswordProblem(password, user);
  if (problem) throw createPasswordFault(problem, 'password');
  return toUserView(await users.setPassword(options.institution, user.id, password));
}
