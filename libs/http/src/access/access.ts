// Access to operations: the caller of a request, its scopes, and the session of a visitor.

import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { type Caller, IDENTITY_HEADER } from '@boxoffice/identity';
import type { AppOptions } from '../app/options.ts';
import { type AnyOperation, neededScopes, type VisitorAccess } from '../operation.ts';
import type { Admitted } from './admission.ts';
import { requireRole } from './roles.ts';

/** The caller of a public operation: anonymous, without an institution. */
const ANONYMOUS: Omit<Caller, 'operation'> = {
  institution: '',
  client: null,
  service: null,
  scopes: [],
  user: null,
  isPublic: false,
};

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
  return neededScopes(operation).every((scope) => caller.scopes.includes(scope));
};

const isForVisitors = (access: AnyOperation['access']): access is VisitorAccess =>
  access === 'visitor' || access === 'newcomer' || access === 'session' || access === 'login';

/**
 * Creates the check of an operation's caller under one of its ids. Rejects with Fault `unauthorized` without a valid
 * identity token, and `forbidden` with one for something else; for visitors with the fault of `admit`.
 */
export const createAdmission = (
  operation: AnyOperation,
  id: string,
  { identify, authenticateService, admit }: Pick<AppOptions, 'identify' | 'authenticateService' | 'admit'>,
): ((request: IncomingMessage) => Promise<Admitted>) => {
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
};
