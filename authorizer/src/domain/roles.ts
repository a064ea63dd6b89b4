import { isAdministrative, SCOPES } from './scopes.ts';

const MANAGED = SCOPES.filter((scope) => !isAdministrative(scope) && scope !== 'events:write');

/** The roles of users, from the widest to the narrowest, and the scopes that each has at most. */
const ROLE_SCOPES = {
  admin: SCOPES,
  manager: MANAGED,
  box_office: [
    'catalog:read',
    'contacts:read',
    'contacts:write',
    'orders:read',
    'orders:write',
    'orders.sensitive:read',
    'tickets:read',
    'tickets:write',
  ],
  door: ['catalog:read', 'tickets:read', 'tickets:write'],
  customer: ['catalog:read', 'contacts:read', 'contacts:write', 'orders:read', 'tickets:read'],
} as const satisfies Record<string, readonly string[]>;

export type Role = keyof typeof ROLE_SCOPES;

/** Every role. */
export const ROLES = Object.keys(ROLE_SCOPES) as readonly Role[];

/** The scopes that a role has at most. */
export const scopesOf = (role: Role): readonly string[] => ROLE_SCOPES[role];
