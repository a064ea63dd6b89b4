import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { type Caller, type CallerUser, IDENTITY_HEADER, type IdentityVerifier } from '@boxoffice/identity';
import { type AnyOperation, listNeededScopes, type RestrictedRole, type VisitorAccess } from './operation.ts';

interface Visiting<Visitor = unknown> {
  readonly visitor: Visitor;
  /** Headers of the answer, if it is a 2xx. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The session that idempotency keys belong to; undefined without one. */
  readonly session?: string;
  /** Whose point of sale it is. */
  readonly institution?: string;
}

export interface Admitted extends Omit<Visiting, 'visitor'> {
  readonly caller: Caller;
  readonly visitor: unknown;
}

/** By the headers alone, before the body is read. Rejects with the fault to answer. */
export type Admit<Visitor = unknown> = (
  request: IncomingMessage,
  access: VisitorAccess,
) => Promise<Visiting<Visitor>> | Visiting<Visitor>;

export interface AccessOptions {
  readonly identify: IdentityVerifier;
  /** Names the calling service, where the identity token does not: for the authorizer. */
  readonly authenticateService?: (authorization: string | undefined, operation: string) => string;
  readonly admit?: Admit;
}

/** The 403 of a token that lacks these scopes (RFC 6750, 3.1). */
export function createInsufficientScopeFault(details: string, lacking: readonly string[]): Fault {
  return new Fault('forbidden', details, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${lacking.join(' ')}"`,
  });
}

/** `subject` begins the sentence. @throws Fault `forbidden` */
export function requireScope(held: readonly string[], scope: string, subject: string): void {
  if (!held.includes(scope))
    throw createInsufficientScopeFault(`${subject} needs the scope ${scope}, which the token does not have.`, [scope]);
}

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

/** Rejects with Fault `unauthorized` without a valid identity token, `forbidden` with one for something else. */
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

/** The token is for this operation; a service's own covers internal operations only, an API key's public ones only. */
const covers = (caller: Caller, id: string, operation: AnyOperation): boolean => {
  if (caller.operation !== id) return false;
  if (caller.isPublic) return operation.publicWithKey === true && caller.client === null && caller.service === null;
  if (operation.access === 'internal') return caller.service !== null && caller.client === null;
  if (caller.service !== null || caller.client === null) return false;
  return listNeededScopes(operation).every((scope) => caller.scopes.includes(scope));
};

/** Before the request is read; the scopes of roles are the authorizer's to decide. @throws Fault `forbidden` */
const requireRole = (user: CallerUser | null, operation: AnyOperation): void => {
  // Only scopes are bounded by roles; what has another access decides itself.
  if (user === null || !operation.access.includes(':')) return;
  const role = restrictedRole(user, operation);
  if (role === undefined || operation.admits?.includes(role)) return;
  throw new Fault('forbidden', `A user of the role ${role} may not do this.`);
};

/** A `customer` is restricted everywhere, the `door` in writes and documents; what does not name the role is closed. */
const restrictedRole = ({ role }: CallerUser, operation: AnyOperation): RestrictedRole | undefined => {
  if (role === 'customer') return role;
  return role === 'door' && (writes(operation) || operation.documents !== undefined) ? role : undefined;
};

const writes = ({ access, alsoNeeds = [] }: AnyOperation): boolean =>
  [access, ...alsoNeeds].some((scope) => scope.endsWith(':write'));
