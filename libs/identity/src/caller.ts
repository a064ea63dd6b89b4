export interface Caller {
  readonly institution: string;
  /** The OAuth client behind the call; null when a service calls for itself. */
  readonly client: string | null;
  /** The service that calls an internal operation; null for a call that came through the gateway. */
  readonly service: string | null;
  readonly scopes: readonly string[];
  readonly operation: string;
  /** Null for a client's own token and for a service. */
  readonly user: CallerUser | null;
  /** What the client may see of its institution's data (platform, section 8); null: all of it. */
  readonly bounds: ClientBounds | null;
  /** Whether the call came with an API key and no token: it sees what is public. */
  readonly isPublic: boolean;
}

/** The roles of users, from the widest to the narrowest. */
export const ROLES = ['admin', 'manager', 'box_office', 'door', 'customer'] as const;

export type Role = (typeof ROLES)[number];

export interface CallerUser {
  readonly id: string;
  readonly role: Role;
  /** The contact whose data a customer sees; null where no contact restricts the user. */
  readonly contact: string | null;
  readonly pointsOfSale: readonly string[];
}

/** The bounds of a client, which hold for the users who sign in at it, too. */
export interface ClientBounds {
  readonly ownOrders: boolean;
  /** Service hosts of the only points of sale that it sells for, in lower case; empty: of all. */
  readonly pointsOfSale: readonly string[];
  readonly onAccount?: boolean;
  /** Days ahead; default RESERVATION_DAYS. */
  readonly reservationDays?: number;
  /** Unsold places at a time, its users' included; default HELD_PLACES. */
  readonly heldPlaces?: number;
}

const RESERVATION_DAYS = 14;

const HELD_PLACES = 500;

export function selectLimits(
  bounds: ClientBounds | null,
): Required<Omit<ClientBounds, 'ownOrders' | 'pointsOfSale'>> | null {
  return (
    bounds && {
      onAccount: bounds.onAccount ?? false,
      reservationDays: bounds.reservationDays ?? RESERVATION_DAYS,
      heldPlaces: bounds.heldPlaces ?? HELD_PLACES,
    }
  );
}

interface UserMembers {
  readonly id: unknown;
  readonly role: unknown;
  readonly contact: unknown;
  readonly pointsOfSale: unknown;
}

/** Undefined if anything is malformed: a token that is not understood must not be worth more than it says. */
export function readUser({ id, role, contact = null, pointsOfSale = [] }: UserMembers): CallerUser | undefined {
  if (typeof id !== 'string' || id === '' || !isRole(role)) return undefined;
  if (contact !== null && typeof contact !== 'string') return undefined;
  if (role === 'customer' && !contact) return undefined;
  if (!Array.isArray(pointsOfSale) || pointsOfSale.some((one) => typeof one !== 'string')) return undefined;
  return { id, role, contact, pointsOfSale };
}

const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);

/** The header that carries the identity token; the gateway removes any that a client sends. */
export const IDENTITY_HEADER = 'x-internal-identity';

export const ACCESS_TYPE = 'at+jwt';

export const IDENTITY_LIFETIME_SECONDS = 60;

/** Rejects with Fault `unauthorized` unless signature, type, audience and expiry are valid. */
export type IdentityVerifier = (token: string) => Promise<Caller>;

/** The owner of limits and stored answers. Ids contain no slash, so no user is taken for another client. */
export function toPrincipal({ client, user }: Pick<Caller, 'client' | 'user'>): string | null {
  return client === null || user === null ? client : `${client}/${user.id}`;
}

/** The contacts of a client with bounds: those that it made, and those that its orders name. */
export interface ContactBounds {
  readonly client: string;
  readonly ownOrders: boolean;
  /** The only points of sale whose orders count; service hosts, in lower case. Null: of all. */
  readonly pointsOfSale: readonly string[] | null;
}

export type Restricted = Pick<Caller, 'client' | 'user' | 'bounds'>;

/** The narrower of what the user's role and the client's bounds allow. */
export function computeRestriction({ client, user, bounds }: Restricted) {
  const [own, its] = [ofRole(user), ofBounds(bounds)];
  return {
    contacts: user?.role === 'customer' ? [user.contact].filter((contact) => contact !== null) : null,
    /** The only points of sale whose orders and tickets it sees; service hosts, in lower case. Empty: none at all. */
    pointsOfSale: own && its ? own.filter((host) => its.includes(host)) : (own ?? its),
    /** The only client whose orders, with their tickets and contacts, it sees: the caller's own. */
    ownClient: bounds?.ownOrders ? client : null,
  };
}

const ofRole = (user: Caller['user']): readonly string[] | null =>
  user?.role === 'box_office' && user.pointsOfSale.length > 0
    ? user.pointsOfSale.map((host) => host.toLowerCase()).toSorted()
    : null;

const ofBounds = (bounds: Caller['bounds']): readonly string[] | null =>
  bounds && bounds.pointsOfSale.length > 0 ? bounds.pointsOfSale : null;

/** The bounds of the contacts of a caller's client; null: its institution's, as far as the user's role shows them. */
export function computeContactBounds({ client, bounds }: Restricted): ContactBounds | null {
  const pointsOfSale = ofBounds(bounds);
  if (bounds === null || client === null || (!bounds.ownOrders && pointsOfSale === null)) return null;
  return { client, ownOrders: bounds.ownOrders, pointsOfSale };
}
