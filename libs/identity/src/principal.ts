import type { Caller } from './caller.ts';

/**
 * Whom limits and remembered answers belong to: the client, or the user who is signed in at it. Ids contain no slash,
 * so no user is taken for another client. Null for a service and for an API key without a token.
 */
export const principalOf = ({ client, user }: Pick<Caller, 'client' | 'user'>): string | null =>
  client === null || user === null ? client : `${client}/${user.id}`;

/** What bounds the data of a user, beside its scopes; null where nothing does. */
interface Restriction {
  /** The only contacts that it sees, with their orders and tickets. */
  readonly contacts: readonly string[] | null;
  /** The only points of sale whose orders and tickets it sees; service hosts, in lower case. */
  readonly pointsOfSale: readonly string[] | null;
}

/** The restriction that follows from a user's role: of a customer, and of a box office with points of sale. */
export const restrictionOf = ({ user }: Pick<Caller, 'user'>): Restriction => ({
  contacts: user?.role === 'customer' ? [user.contact].filter((contact) => contact !== null) : null,
  pointsOfSale:
    user?.role === 'box_office' && user.pointsOfSale.length > 0
      ? user.pointsOfSale.map((host) => host.toLowerCase()).toSorted()
      : null,
});
