import type { Documents } from '@boxoffice/store';
import type { PlaceDocument } from '../store.ts';

/**
 * Ends the hold at `until` (epoch milliseconds) where the order has the places as of an earlier version than `asOf`,
 * and makes them that version's: a call that comes late or twice shortens no later hold.
 */
export function shortenHold(
  places: Documents<PlaceDocument>,
  { holder, placeIds, asOf }: { readonly holder: string; readonly placeIds: readonly string[]; readonly asOf: number },
  until: number,
): Promise<PlaceDocument[]> {
  return places.claim({
    where: { id: { in: placeIds }, holder, state: 'held', asOf: { lt: asOf } },
    set: { freeFrom: until, asOf },
  });
}
