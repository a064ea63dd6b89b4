import { isAdministrative } from './scopes.ts';

const isManaged = (scope: string): boolean => !isAdministrative(scope) && scope !== 'events:write';

/** The roles of users, from the widest to the narrowest, and the scopes of all that each has at most. */
const ROLE_SCOPES = {
  admin: () => true,
  manager: isManaged,
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
} as const satisfies Record<string, readonly string[] | ((scope: string) => boolean)>;

export type Role = keyof typeof ROLE_SCOPES;

/** Every role. */
export const ROLES = Object.keys(ROLE_SCOPES) as readonly Role[];

/** The scopes that a role has at most, of all that there are. */
export const scopesOf = (role: Role, all: readonly string[]): readonly string[] => {
  const most: readonly string[] | ((scope: string) => boolean) = ROLE_SCOPES[role];
  return typeof most === 'function' ? all.filter(most) : most;
};
