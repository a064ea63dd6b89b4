import type { Documents } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import type { EventBounds } from '../feed/visible.ts';
import { TEST_TYPE } from '../types/types.ts';
import type { DeliveryDocument } from './documents.ts';

/**
 * Deliveries for a list in the order of their creation: within bounds tests, and those of events that are still kept
 * and within the bounds. They may be of before the bounds.
 */
export const shownDeliveries = (
  deliveries: Documents<DeliveryDocument>,
  feed: Pick<Feed, 'getAll'>,
  institution: string,
  bounds: EventBounds | undefined,
): Pick<Documents<DeliveryDocument>, 'find'> => {
  if (!bounds) return deliveries;
  return {
    async find(query = {}) {
      const { limit = Number.POSITIVE_INFINITY } = query;
      const shown: DeliveryDocument[] = [];
      for (let { after } = query; ; ) {
        const found = await deliveries.find({ ...query, ...(after && { after }) });
        const ids = found.map(({ eventId }) => eventId);
        const visible = new Set((await feed.getAll(institution, ids, bounds)).map(({ id }) => id));
        shown.push(...found.filter(({ type, eventId }) => type === TEST_TYPE || visible.has(eventId)));
        const last = found.at(-1);
        if (shown.length >= limit || found.length < limit || !last) return shown.slice(0, limit);
        after = { value: last.createdAt, id: last.id };
      }
    },
  };
};
