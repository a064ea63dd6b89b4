import type { Caller } from './caller.ts';

/**
 * Whom limits and remembered answers belong to: the client, or the user who is signed in at it. Ids contain no slash,
 * so no user is taken for another client. Null for a service and for an API key without a token.
 */
export const principalOf = ({ client, user }: Pick<Caller, 'client' | 'user'>): string | null =>
  client === null || user === null ? client : `${client}/${user.id}`;

/** What restricts the data that a caller sees, beside its scopes; null where nothing does. */
interface Restriction {
  /** The only contacts that it sees, with their orders and tickets. */
  readonly contacts: readonly string[] | null;
  /** The only points of sale whose orders and tickets it sees; service hosts, in lower case. Empty: none at all. */
  readonly pointsOfSale: readonly string[] | null;
  /** The only client whose orders, with their tickets and contacts, it sees: the caller's own. */
  readonly ownClient: string | null;
}

const ofRole = (user: Caller['user']): readonly string[] | null =>
  user?.role === 'box_office' && user.pointsOfSale.length > 0
    ? user.pointsOfSale.map((host) => host.toLowerCase()).toSorted()
    : null;

const ofBounds = (bounds: Caller['bounds']): readonly string[] | null =>
  bounds && bounds.pointsOfSale.length > 0 ? bounds.pointsOfSale : null;

/** The parts of a caller from which its restriction follows. */
export type Restricted = Pick<Caller, 'client' | 'user' | 'bounds'>;

/**
 * The restriction that follows from a user's role (of a customer, and of a box office with points of sale) and from the
 * bounds of the client: the narrower of both.
 */
export const restrictionOf = ({ client, user, bounds }: Restricted): Restriction => {
  const [own, its] = [ofRole(user), ofBounds(bounds)];
  return {
    contacts: user?.role === 'customer' ? [user.contact].filter((contact) => contact !== null) : null,
    pointsOfSale: own && its ? own.filter((host) => its.includes(host)) : (own ?? its),
    ownClient: bounds?.ownOrders ? client : null,
  };
};
