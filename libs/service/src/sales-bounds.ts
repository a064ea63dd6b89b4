import { type Caller, restrictionOf } from '@boxoffice/identity';
import type { Bounds } from '@boxoffice/store';

/**
 * What a caller may see of documents that carry the buyer as `contactNumber` and the sales channel as `pointOfSale`:
 * orders and tickets. A document without the member is out of bounds.
 */
export const salesBoundsOf = (caller: Pick<Caller, 'user'>): Bounds => {
  const { contacts, pointsOfSale } = restrictionOf(caller);
  return {
    ...(contacts && { contactNumber: contacts }),
    ...(pointsOfSale && { pointOfSale: pointsOfSale }),
  };
};
