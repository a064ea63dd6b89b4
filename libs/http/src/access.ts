// Access to operations: the caller of a request, its scopes, and the session of a visitor.

import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { type Caller, type CallerUser, IDENTITY_HEADER, type IdentityVerifier } from '@boxoffice/identity';
import { type AnyOperation, listNeededScopes, type RestrictedRole, type VisitorAccess } from './operation.ts';

/** The sender of a request to an operation for visitors, as the service that holds the sessions sees it. */
interface Visiting<Visitor = unknown> {
  /** The handler's `visitor`. */
  readonly visitor: Visitor;
  /** Headers of the answer, if it is a 2xx. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The session that idempotency keys belong to; undefined without one. */
  readonly session?: string;
  /** Whose point of sale it is. */
  readonly institution?: string;
}

/** The caller. */
export interface Admitted extends Omit<Visiting, 'visitor'> {
  readonly caller: Caller;
  readonly visitor: unknown;
}

/**
 * Admits a visitor by the headers of the request alone, before its body is read. Rejects with the fault to answer if
 * the point of sale or the session does not exist, or the session does not satisfy `access`.
 */
export type Admit<Visitor = unknown> = (
  request: IncomingMessage,
  access: VisitorAccess,
) => Promise<Visiting<Visitor>> | Visiting<Visitor>;

/** How an app learns who calls. */
export interface AccessOptions {
  readonly identify: IdentityVerifier;
  /**
   * Authenticates the service that calls this internal operation, by its Authorization header, and returns its name;
   * default: the identity token names it. For the authorizer, whose callers have no identity yet.
   */
  readonly authenticateService?: (authorization: string | undefined, operation: string) => string;
  /** Admits visitors; required by operations for them (family B). */
  readonly admit?: Admit;
}

/** The 403 of a token that lacks these scopes (RFC 6750, 3.1). */
export function createInsufficientScopeFault(details: string, lacking: readonly string[]): Fault {
  return new Fault('forbidden', details, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${lacking.join(' ')}"`,
  });
}

/**
 * Refuses a request whose token lacks a scope that only this form of the request needs. `subject` begins the sentence.
 * @throws Fault `forbidden`
 */
export function requireScope(held: readonly string[], scope: string, subject: string): void {
  if (!held.includes(scope))
    throw createInsufficientScopeFault(`${subject} needs the scope ${scope}, which the token does not have.`, [scope]);
}

/** The caller of a public operation: anonymous, without an institution. */
const ANONYMOUS: Omit<Caller, 'operation'> = {
  institution: '',
  client: null,
  service: null,
  scopes: [],
  user: null,
  bounds: null,
  isPublic: false,
};

const VISITORS: ReadonlySet<string> = new Set<VisitorAccess>([
  'visitor',
  'newcomer',
  'session',
  'login',
  'link',
  'owner',
]);

/**
 * Creates the check of an operation's caller under one of its ids. Rejects with Fault `unauthorized` without a valid
 * identity token, and `forbidden` with one for something else; for visitors with the fault of `admit`.
 */
export function createAdmission(
  operation: AnyOperation,
  id: string,
  { identify, authenticateService, admit }: AccessOptions,
): (request: IncomingMessage) => Promise<Admitted> {
  const { access } = operation;
  const anonymous = { caller: { ...ANONYMOUS, operation: id }, visitor: undefined };
  if (access === 'public') {
    const admitted = Promise.resolve(anonymous);
    return () => admitted;
  }
  if (isForVisitors(access)) {
    if (!admit) throw new Error(`${id} is for visitors: the app needs the option admit`);
    return async (request) => ({ ...anonymous, ...(await admit(request, access)) });
  }
  if (access === 'internal' && authenticateService) {
    return async ({ headers }) => ({
      caller: { ...anonymous.caller, service: authenticateService(headers.authorization, id) },
      visitor: undefined,
    });
  }
  return async (request) => {
    const token = request.headers[IDENTITY_HEADER];
    if (typeof token !== 'string' || token === '')
      throw new Fault('unauthorized', 'The request has no identity token.');
    const caller = await identify(token);
    if (!covers(caller, id, operation))
      throw new Fault('forbidden', 'The identity token does not cover this operation.');
    requireRole(caller.user, operation);
    return { caller, visitor: undefined };
  };
}

const isForVisitors = (access: AnyOperation['access']): access is VisitorAccess => VISITORS.has(access);

/**
 * Whether an identity token covers the operation: issued for it, and for a service's own call where the operation is
 * internal, else for a client with its scopes. One of an API key covers public operations only. No kind passes for
 * another.
 */
const covers = (caller: Caller, id: string, operation: AnyOperation): boolean => {
  if (caller.operation !== id) return false;
  if (caller.isPublic) return operation.publicWithKey === true && caller.client === null && caller.service === null;
  if (operation.access === 'internal') return caller.service !== null && caller.client === null;
  if (caller.service !== null || caller.client === null) return false;
  return listNeededScopes(operation).every((scope) => caller.scopes.includes(scope));
};

/**
 * Refuses a user whose role may not do this at all, before the request is read and any record is looked at. The scopes
 * of roles are the authorizer's to decide.
 * @throws Fault `forbidden`
 */
const requireRole = (user: CallerUser | null, operation: AnyOperation): void => {
  // Only scopes are bounded by roles; what has another access decides itself.
  if (user === null || !operation.access.includes(':')) return;
  const role = restrictedRole(user, operation);
  if (role === undefined || operation.admits?.includes(role)) return;
  throw new Fault('forbidden', `A user of the role ${role} may not do this.`);
};

/**
 * The role among those that only some operations admit, if it is one for this operation: every operation for a
 * customer, and for the door every write and every document. An operation that does not name the role refuses it, so a
 * new one is closed.
 */
const restrictedRole = ({ role }: CallerUser, operation: AnyOperation): RestrictedRole | undefined => {
  if (role === 'customer') return role;
  return role === 'door' && (writes(operation) || operation.documents !== undefined) ? role : undefined;
};

/** Whether the operation needs a scope that writes. */
const writes = ({ access, alsoNeeds = [] }: AnyOperation): boolean =>
  [access, ...alsoNeeds].some((scope) => scope.endsWith(':write'));
