import { randomUUID } from 'node:crypto';
import type { Message } from '@boxoffice/messaging';
import type { Documents, Store } from '@boxoffice/store';
import { type PlaceDocument, places } from '../../src/store.ts';

/** What the publishers say, member for member; `data` replaces what a test is about. */
const payloads = {
  'order.cancelled': { orderId: 'ord_1', hadTickets: false, override: false, reason: null, placeIds: ['plc_1'] },
  'order.expired': { orderId: 'ord_1', placeIds: ['plc_1'] },
  'tickets.cancelled': { orderId: 'ord_1', ticketsCancelled: 1, controlled: 0, placeIds: ['plc_1'], keptPlaceIds: [] },
} as const;
type Payloads = typeof payloads;
export type FactType = keyof Payloads;
/** Members of a payload, also wrong ones. */
export type FactData<Type extends FactType> = { readonly [Name in keyof Payloads[Type]]?: unknown };

/** A fact of another service as it arrives. */
export function createFact<Type extends FactType>(
  institution: string,
  type: Type,
  data: FactData<Type>,
  version = 3,
): Message {
  const all: { readonly orderId: string } = { ...payloads[type], ...(data as object) };
  const occurredAt = new Date().toISOString();
  return { id: randomUUID(), type, key: all.orderId, version, institution, occurredAt, data: all };
}

/** The facts about this order in the catalog's outbox. */
export async function listPublishedFacts(store: Store, orderId: string): Promise<unknown[]> {
  return (await store.outbox.pending(10_000))
    .filter(({ key }) => key === orderId)
    .map(({ type, data }) => ({ type, ...data }));
}

type Places = Documents<PlaceDocument>;

/** A store whose places are those that `spoilt` makes of them. */
export function wrapPlaces(store: Store, spoilt: (documents: Places) => Places): Store {
  return {
    ...store,
    collection: (asked) => {
      const handle = store.collection(asked);
      if (asked.name !== places.name) return handle;
      const of = (institution: string) => spoilt(store.collection(places).of(institution));
      return { ...handle, of } as unknown as typeof handle;
    },
  };
}

/** A store whose claims of places forget one condition. */
export function createForgetfulStore(store: Store, field: string): Store {
  return wrapPlaces(store, (documents) => ({
    ...documents,
    claim: ({ where, ...request }) => {
      const others = Object.entries(where).filter(([name]) => name !== field);
      return documents.claim({ ...request, where: Object.fromEntries(others) });
    },
  }));
}

/** A store whose first claim of several places is interrupted after the first of them. */
export function createInterruptedStore(store: Store, between: () => Promise<unknown>): Store {
  let isFirst = true;
  return wrapPlaces(store, (documents) => ({
    ...documents,
    claim: async (request) => {
      const { id } = request.where as { id?: { in?: readonly string[] } };
      const [one, ...others] = id?.in ?? [];
      if (!isFirst || one === undefined || others.length === 0) return documents.claim(request);
      isFirst = false;
      const claimed = await documents.claim({ ...request, where: { ...request.where, id: one } });
      await between();
      return [...claimed, ...(await documents.claim({ ...request, where: { ...request.where, id: { in: others } } }))];
    },
  }));
}
