import { Fault } from '@boxoffice/envelope';
import type { CallerUser } from '@boxoffice/identity';
import type { AnyOperation, RestrictedRole } from '../operation.ts';

/** Whether the operation needs a scope that writes. */
const writes = ({ access, alsoNeeds = [] }: AnyOperation): boolean =>
  [access, ...alsoNeeds].some((scope) => scope.endsWith(':write'));

/**
 * The role among those that only some operations admit, if it is one for this operation: every operation for a
 * customer, and every write for the door. An operation that does not name the role refuses it, so a new one is closed.
 */
const restrictedRole = ({ role }: CallerUser, operation: AnyOperation): RestrictedRole | undefined => {
  if (role === 'customer') return role;
  return role === 'door' && writes(operation) ? role : undefined;
};

/**
 * Refuses a user whose role may not do this at all, before the request is read and any record is looked at. The scopes
 * of roles are the authorizer's to decide.
 * @throws Fault `forbidden`
 */
export const requireRole = (user: CallerUser | null, operation: AnyOperation): void => {
  // Only scopes are bounded by roles; what has another access decides itself.
  if (user === null || !operation.access.includes(':')) return;
  const role = restrictedRole(user, operation);
  if (role === undefined || operation.admits?.includes(role)) return;
  throw new Fault('forbidden', `A user of the role ${role} may not do this.`);
};
