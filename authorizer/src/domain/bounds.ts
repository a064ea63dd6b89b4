import { isAdministrative } from './scopes.ts';

/** What a client sees of its institution, and sells (platform, section 8). */
export interface Bounds {
  /** Whether only what the client made exists for it. */
  readonly ownOrders: boolean;
  /** Service hosts, in lower case: the only points of sale that it sells for; empty: all of them. */
  readonly pointsOfSale: readonly string[];
}

/** A change of bounds: absent members stay, null takes the bounds away. */
export type BoundsChange = Partial<Bounds> | null;

/** Service hosts in the form in which orders have them, each once. */
export const serviceHosts = (hosts: readonly string[]): string[] => [
  ...new Set(hosts.map((host) => host.trim().toLowerCase()).filter(Boolean)),
];

/** The bounds after a change. */
export const changedBounds = (current: Bounds | null, change: BoundsChange | undefined): Bounds | null => {
  if (change === undefined) return current;
  if (change === null) return null;
  const { ownOrders = current?.ownOrders ?? false, pointsOfSale = current?.pointsOfSale ?? [] } = change;
  return { ownOrders, pointsOfSale: serviceHosts(pointsOfSale) };
};

const NONE: Bounds = { ownOrders: false, pointsOfSale: [] };

/** Whether a client with these bounds sees and sells nothing that the outer bounds leave out. */
export const liesWithin = (bounds: Bounds | null, outer: Bounds | null): boolean => {
  const [inner, limit] = [bounds ?? NONE, outer ?? NONE];
  if (limit.ownOrders && !inner.ownOrders) return false;
  if (limit.pointsOfSale.length === 0) return true;
  return inner.pointsOfSale.length > 0 && inner.pointsOfSale.every((host) => limit.pointsOfSale.includes(host));
};

/** The scopes that a client with these bounds cannot have, because they administer the whole institution. */
export const excludedScopes = (bounds: Bounds | null, scopes: readonly string[]): string[] =>
  bounds === null ? [] : scopes.filter(isAdministrative);
