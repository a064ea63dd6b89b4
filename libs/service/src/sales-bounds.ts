import { computeRestriction, type Restricted } from '@boxoffice/identity';
import type { Bounds } from '@boxoffice/store';

/**
 * What a caller may see of documents that carry the buyer as `contactNumber`, the sales channel as `pointOfSale` and
 * the client that made the order as `createdBy.clientId`: orders and tickets. A document without the member is out of
 * bounds.
 */
export function computeSalesBounds(caller: Restricted): Bounds {
  const { contacts, pointsOfSale, ownClient } = computeRestriction(caller);
  return {
    ...(contacts && { contactNumber: contacts }),
    ...(pointsOfSale && { pointOfSale: pointsOfSale }),
    ...(ownClient !== null && { 'createdBy.clientId': [ownClient] }),
  };
}
