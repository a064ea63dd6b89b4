import { type Restricted, restrictionOf } from '@boxoffice/identity';
import type { BelongsTo } from '@boxoffice/service';
import type { ClientContacts } from '../log/client-contacts.ts';
import type { EventDocument } from '../store.ts';

/** What a reader may see of the institution's events, beside their types; null: everything in that respect. */
export type EventBounds = Pick<ReturnType<typeof restrictionOf>, 'ownClient' | 'pointsOfSale'>;

/** The bounds of a caller, or of the client of a webhook; undefined: none. */
export const eventBoundsOf = (reader: Restricted): EventBounds | undefined => {
  const { ownClient, pointsOfSale } = restrictionOf(reader);
  return ownClient === null && pointsOfSale === null ? undefined : { ownClient, pointsOfSale };
};

const isOwn = ({ ownClient }: EventBounds, belongsTo: BelongsTo | undefined): boolean =>
  ownClient === null || belongsTo?.clientIds.includes(ownClient) === true;

const isSoldAt = ({ pointsOfSale }: EventBounds, belongsTo: BelongsTo | undefined): boolean =>
  pointsOfSale === null || pointsOfSale.includes(belongsTo?.pointOfSale?.toLowerCase() ?? '');

/**
 * Those of the institution's events that a reader with bounds may see. The catalogue is everybody's. Contacts are of the
 * client that made them and of those whose orders name them; all else is of the order's client and point of sale.
 */
export const visibleOf = async (
  clientContacts: ClientContacts,
  institution: string,
  events: readonly EventDocument[],
  bounds: EventBounds | undefined,
): Promise<readonly EventDocument[]> => {
  if (!bounds) return events;
  const others = events.filter(({ resource, belongsTo }) => resource.type === 'contact' && !isOwn(bounds, belongsTo));
  const ids = others.map(({ resource }) => resource.id);
  const named = await clientContacts.namedBy(institution, bounds.ownClient ?? '', ids);
  return events.filter(({ resource: { type, id }, belongsTo }) => {
    if (type === 'product' || type === 'performance') return true;
    if (type === 'contact') return isOwn(bounds, belongsTo) || named.has(id);
    return isOwn(bounds, belongsTo) && isSoldAt(bounds, belongsTo);
  });
};
