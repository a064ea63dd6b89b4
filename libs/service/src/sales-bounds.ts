import { computeRestriction, type Restricted } from '@boxoffice/identity';
import type { Bounds } from '@boxoffice/store';

/** Of orders and tickets. One without `contactNumber`, `pointOfSale` or `createdBy.clientId` is out of such bounds. */
export function computeSalesBounds(caller: Restricted): Bounds {
  const { contacts, pointsOfSale, ownClient } = computeRestriction(caller);
  return {
    ...(contacts && { contactNumber: contacts }),
    ...(pointsOfSale && { pointOfSale: pointsOfSale }),
    ...(ownClient !== null && { 'createdBy.clientId': [ownClient] }),
  };
}
