import { derivedId } from '../ids.ts';

/** No client of an institution has a colon in its id. */
const VISITOR = 'visitor:';

/** Whose places the limit per address adds up: of the address itself only a hash is kept. */
export const visitorAt = (institution: string, address: string): string =>
  derivedId(`${VISITOR}address`, institution, address);

/** Whether places are held for a visitor of a point of sale, not for a client. */
export const isVisitor = (client: string): boolean => client.startsWith(VISITOR);
