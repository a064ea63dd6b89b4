import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  created,
  createInsufficientScopeFault,
  createPageSchema,
  ok,
  operation,
  pageQuery,
  pathId,
  readPage,
} from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { Type } from 'typebox';
import type { Authorizer } from '../authorizer.ts';
import { findMissingScopes, type Role as RoleName, selectRoleScopes } from '../domain/scopes.ts';
import { SHORTEST_PASSWORD } from '../domain/user.ts';
import type { UserDocument } from '../store.ts';
import { createPasswordFault, findPasswordProblem } from './passwords.ts';
import type { ShownInvitation } from './users.ts';
import {
  example,
  invitedExample,
  listSubjects,
  NewUser,
  READ_ONLY,
  Role,
  State,
  toInvitedUserView,
  toUserView,
  User,
  UserChanges,
  UserWithInvitation,
} from './view.ts';

const USERS = '/svc/v3/users';
const USER = `${USERS}/{userId}`;
const ME = `${USERS}/me`;

type Dependencies = Pick<Authorizer, 'users' | 'accounts' | 'knownScopes'>;

export function createUserRoutes({ users, accounts, knownScopes }: Dependencies): AnyOperation[] {
  return [
    operation({
      id: 'listUsers',
      method: 'get',
      path: USERS,
      access: 'users:read',
      summary: 'Lists the users of the institution',
      description: 'Without passwords and invitations.',
      query: { role: Type.Optional(Role), state: Type.Optional(State), ...pageQuery },
      answers: { 200: createPageSchema(User) },
      example: { answer: { items: [example], nextCursor: null } },
      handle: (request) => {
        const { role, state } = request.query;
        return readPage(request, users.documents(request.caller.institution), {
          where: { role, state },
          item: toUserView,
        });
      },
    }),
    operation({
      id: 'createUser',
      method: 'post',
      path: USERS,
      access: 'users:write',
      summary: 'Creates a user, and answers the link that sets the password, this once',
      description:
        'The link is valid for seven days. The caller must hold every scope of the role. The contact and the points of ' +
        'sale must exist in the institution.',
      body: NewUser,
      answers: { 201: UserWithInvitation },
      errors: ['user_duplicate_login', 'semantically_invalid'],
      etag: true,
      example: {
        body: { login: example.login, name: example.name, role: example.role, pointsOfSale: [...example.pointsOfSale] },
        answer: invitedExample,
      },
      handle: async ({ caller, body, remember }) => {
        mustHold(caller, body.role, 'The role', knownScopes());
        const { login, name, role, contactNumber = null, pointsOfSale = [] } = body;
        const details = { login, name, role, contactNumber, pointsOfSale };
        const { user, invitation } = await users.create(caller.institution, details, remember(withoutLink));
        return answerInvitation(user, invitation);
      },
    }),
    operation({
      id: 'getMe',
      method: 'get',
      path: ME,
      access: 'token',
      summary: 'Gives the user who is signed in; 404 for a client’s own token',
      description: 'As `GET /svc/v3/users/{userId}` shows it.',
      answers: { 200: User },
      errors: ['not_found'],
      etag: true,
      example: { answer: example },
      handle: async ({ caller }) => answerUser(await users.get(caller.institution, requireUser(caller))),
    }),
    operation({
      id: 'changeMyPassword',
      method: 'post',
      path: `${ME}/password`,
      access: 'token',
      summary: 'Changes the password of the user who is signed in; ends all sign-ins, this one included',
      description: `The new password has at least ${SHORTEST_PASSWORD} characters and is not a common one. Idempotency-Key is ignored.`,
      withoutIdempotency: true,
      body: Type.Object({
        current: Type.String({ maxLength: 1_000, description: 'the present password' }),
        new: Type.String({ maxLength: 4_000, description: 'the password from now on' }),
      }),
      answers: { 200: User },
      errors: ['not_found', 'user_wrong_password', 'semantically_invalid', 'too_many_requests'],
      example: { body: { current: 'a short walk at dusk', new: 'four swans on a cold lake' }, answer: example },
      handle: async ({ caller, body, header }) => {
        const { institution } = caller;
        const user = await users.get(institution, requireUser(caller));
        const attempt = { institution, login: user.login, ip: readAddress(header) };
        const checked = await accounts.verify(attempt, body.current);
        if (checked.outcome === 'throttled' || checked.outcome === 'busy') {
          throw new Fault('too_many_requests', 'Too many attempts. Try again after the seconds in Retry-After.', {
            'Retry-After': String(Math.ceil(checked.waitMs / 1_000)),
          });
        }
        if (checked.outcome === 'wrong')
          throw new Fault('user_wrong_password', '$.current is not the present password.');
        const problem = findPasswordProblem(body.new, user);
        if (problem) throw createPasswordFault(problem, 'new');
        return answerUser(await users.setPassword(institution, user.id, body.new));
      },
    }),
    operation({
      id: 'getUser',
      method: 'get',
      path: USER,
      access: 'users:read',
      summary: 'Gives a user',
      description: 'Without password and invitation.',
      params: { userId: pathId },
      answers: { 200: User },
      etag: true,
      example: { params: { userId: example.userId }, answer: example },
      handle: async ({ caller, params }) => answerUser(await users.get(caller.institution, params.userId)),
    }),
    operation({
      id: 'updateUser',
      method: 'patch',
      path: USER,
      access: 'users:write',
      summary: 'Changes, locks or unlocks a user',
      description:
        'Counts within five seconds, also for tokens that the user has. Locking ends them; unlocking brings none back. ' +
        'The caller must hold every scope of the present and of the new role. A contact or point of sale that the user ' +
        'does not have yet must exist in the institution.',
      params: { userId: pathId },
      body: UserChanges,
      readOnly: READ_ONLY,
      answers: { 200: User },
      errors: ['user_last_admin', 'conflict', 'semantically_invalid'],
      conditional: true,
      etag: true,
      example: {
        params: { userId: example.userId },
        body: { state: 'locked' },
        answer: { ...example, state: 'locked' },
      },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        if (body.role !== undefined) mustHold(caller, body.role, 'The new role', knownScopes());
        const mayChange = createGuard(caller, ifMatch, knownScopes());
        const allow = (current: UserDocument): void => {
          mayChange(current);
          requireUnchanged(toUserView(current));
        };
        const { pointsOfSale, ...others } = body;
        const change = { ...others, ...(pointsOfSale === undefined ? {} : { pointsOfSale: pointsOfSale ?? [] }) };
        const request = { allow, idempotencyRecord: remember(answerUser) };
        return answerUser(await users.amend(caller.institution, params.userId, change, request));
      },
    }),
    operation({
      id: 'deleteUser',
      method: 'delete',
      path: USER,
      access: 'users:write',
      summary: 'Deletes a user, and answers it as it was; its tokens are refused within five seconds',
      description: 'It cannot be undone; what the user has made stays.',
      params: { userId: pathId },
      answers: { 200: User },
      errors: ['user_last_admin'],
      conditional: true,
      example: { params: { userId: example.userId }, answer: example },
      handle: async ({ caller, params, ifMatch }) =>
        ok(
          toUserView(
            await users.remove(caller.institution, params.userId, createGuard(caller, ifMatch, knownScopes())),
          ),
        ),
    }),
    operation({
      id: 'createUserInvitation',
      method: 'post',
      path: `${USER}/invitation`,
      access: 'users.sensitive:write',
      summary: 'Makes a new link that sets the password, also for a lost one, and answers it this once',
      description: 'An earlier link ends. The password and the sign-ins stay valid until the new one is set.',
      params: { userId: pathId },
      answers: { 201: UserWithInvitation },
      errors: ['conflict'],
      conditional: true,
      etag: true,
      example: { params: { userId: example.userId }, answer: invitedExample },
      handle: async ({ caller, params, ifMatch, remember }) => {
        const request = {
          allow: createGuard(caller, ifMatch, knownScopes()),
          idempotencyRecord: remember(withoutLink),
        };
        const { user, invitation } = await users.invite(caller.institution, params.userId, request);
        return answerInvitation(user, invitation);
      },
    }),
  ];
}

/** A caller cannot give or take a role with scopes that it does not hold. */
const mustHold = (caller: Caller, role: RoleName, what: string, known: readonly string[]): void => {
  const missing = findMissingScopes(selectRoleScopes(role, known), caller.scopes);
  if (missing.length > 0) {
    const text = `${what} has scopes that the caller's token lacks: ${missing.join(', ')}.`;
    throw createInsufficientScopeFault(text, missing);
  }
};

const withoutLink = (user: UserDocument) => answerInvitation(user, null);

/** The answer with an invitation: one that is remembered has none. */
const answerInvitation = (user: UserDocument, invitation: ShownInvitation | null) =>
  created(toInvitedUserView(user, invitation), `${USERS}/${user.id}`, about(user));

const about = (user: UserDocument) => ({ etag: etag(user), subjects: listSubjects(user) });

const etag = ({ revision }: UserDocument): string => String(revision);

const answerUser = (user: UserDocument) => ok(toUserView(user), about(user));

const requireUser = (caller: Caller): string => {
  if (!caller.user) throw new Fault('not_found', 'The token is a client’s own: nobody is signed in.');
  return caller.user.id;
};

/** The client's address: the gateway sets X-Forwarded-For to exactly one. */
const readAddress = (header: (name: string) => string | undefined): string =>
  header('x-forwarded-for')?.split(',', 1)[0]?.trim().slice(0, 45) || 'unknown';

/** The check of a change: the caller holds every scope of the present role, and If-Match matches. */
const createGuard =
  (caller: Caller, ifMatch: (etag: string) => void, known: readonly string[]) =>
  (current: UserDocument): void => {
    mustHold(caller, current.role, 'The role of the user', known);
    ifMatch(etag(current));
  };
