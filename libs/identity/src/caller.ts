/** The caller of an operation, authenticated by the authorizer's signed identity token. */
export interface Caller {
  /** The institution whose data the call may touch. */
  readonly institution: string;
  /** The OAuth client behind the call; null when a service calls for itself. */
  readonly client: string | null;
  /** The service that calls an internal operation; null for a call that came through the gateway. */
  readonly service: string | null;
  readonly scopes: readonly string[];
  /** The one operation that the token permits. */
  readonly operation: string;
  /** The user who is signed in at the client; null for a client's own token and for a service. */
  readonly user: CallerUser | null;
  /** What the client may see of its institution's data (platform, section 8); null: all of it. */
  readonly bounds: ClientBounds | null;
  /** Whether the call came with an API key and no token: it sees what is public. */
  readonly isPublic: boolean;
}

/** The roles of users, from the widest to the narrowest. */
export const ROLES = ['admin', 'manager', 'box_office', 'door', 'customer'] as const;

/** What a user may see and do; beside the scopes, it bounds the data. */
export type Role = (typeof ROLES)[number];

/** A signed-in user, with what restricts the data. */
export interface CallerUser {
  readonly id: string;
  readonly role: Role;
  /** The contact whose data a customer sees; null where no contact restricts the user. */
  readonly contact: string | null;
  /** The points of sale whose orders the user sees; empty where none restrict the user. */
  readonly pointsOfSale: readonly string[];
}

/** The bounds of a client, which hold for the users who sign in at it, too. */
export interface ClientBounds {
  /** Whether only what the client made exists for it. */
  readonly ownOrders: boolean;
  /** Service hosts of the only points of sale that it sells for, in lower case; empty: of all. */
  readonly pointsOfSale: readonly string[];
  /** Whether it may confirm on account; default: it may not. */
  readonly onAccount?: boolean;
  /** How many days ahead it may reserve; default RESERVATION_DAYS. */
  readonly reservationDays?: number;
  /** How many unsold places it may hold, its users' included; default HELD_PLACES. */
  readonly heldPlaces?: number;
}

/** How many days ahead a client with bounds reserves at most, unless they say another number. */
const RESERVATION_DAYS = 14;

/** How many unsold places a client with bounds holds at most, unless they say another number. */
const HELD_PLACES = 500;

/** What a client with bounds may do, beside what it sees; null without bounds. */
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

/** The members of a token that say who the user is, unverified. */
interface UserMembers {
  readonly id: unknown;
  readonly role: unknown;
  readonly contact: unknown;
  readonly pointsOfSale: unknown;
}

/**
 * Reads the user of a token. Undefined if a member is malformed, the role is unknown, or a customer has no contact: a
 * token that is not understood must not be worth more than it says.
 */
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

/** The `typ` of access tokens (RFC 9068, 2.1). */
export const ACCESS_TYPE = 'at+jwt';

/** Longest lifetime of an identity token, in seconds. */
export const IDENTITY_LIFETIME_SECONDS = 60;

/**
 * Maps the identity token of a request to its caller. Rejects with Fault `unauthorized` unless signature, type,
 * audience and expiry are valid.
 */
export type IdentityVerifier = (token: string) => Promise<Caller>;

/**
 * Whom limits and remembered answers belong to: the client, or the user who is signed in at it. Ids contain no slash,
 * so no user is taken for another client. Null for a service and for an API key without a token.
 */
export function toPrincipal({ client, user }: Pick<Caller, 'client' | 'user'>): string | null {
  return client === null || user === null ? client : `${client}/${user.id}`;
}

/** What restricts the data that a caller sees, beside its scopes; null where nothing does. */
interface Restriction {
  /** The only contacts that it sees, with their orders and tickets. */
  readonly contacts: readonly string[] | null;
  /** The only points of sale whose orders and tickets it sees; service hosts, in lower case. Empty: none at all. */
  readonly pointsOfSale: readonly string[] | null;
  /** The only client whose orders, with their tickets and contacts, it sees: the caller's own. */
  readonly ownClient: string | null;
}

/** The contacts of a client with bounds: those that it made, and those that its orders name. */
export interface ContactBounds {
  readonly client: string;
  /** Whether an order counts only if this client made it. */
  readonly ownOrders: boolean;
  /** The only points of sale whose orders count; service hosts, in lower case. Null: of all. */
  readonly pointsOfSale: readonly string[] | null;
}

/** The parts of a caller from which its restriction follows. */
export type Restricted = Pick<Caller, 'client' | 'user' | 'bounds'>;

/**
 * The restriction that follows from a user's role (of a customer, and of a box office with points of sale) and from the
 * bounds of the client: the narrower of both.
 */
export function computeRestriction({ client, user, bounds }: Restricted): Restriction {
  const [own, its] = [ofRole(user), ofBounds(bounds)];
  return {
    contacts: user?.role === 'customer' ? [user.contact].filter((contact) => contact !== null) : null,
    pointsOfSale: own && its ? own.filter((host) => its.includes(host)) : (own ?? its),
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
