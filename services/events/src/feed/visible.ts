import { computeRestriction, type Restricted } from '@boxoffice/identity';
import { deriveId } from '@boxoffice/runtime';
import type { BelongsTo } from '@boxoffice/service';
import { restrictDocuments, type Store } from '@boxoffice/store';
import type { Arrival } from '../log/log.ts';
import { type ClientContactDocument, clientContactsCollection, type EventDocument } from '../store.ts';
import { eventTypes, isEventType } from '../types/types.ts';

export type ClientContacts = ReturnType<typeof createClientContacts>;

/** Orders whose last event a process remembers, so that later ones with the same contact cost nothing. */
const MOST = 10_000;

/** Documents of one read: many orders may name one contact. */
const PAGE = 500;

interface Said {
  readonly position: number;
  readonly contact: string | null;
}

type Named = Pick<ClientContactDocument, 'client' | 'pointOfSale'>;

export function createClientContacts(store: Pick<Store, 'collection'>) {
  const documents = store.collection(clientContactsCollection);
  const remembered = new Map<string, Said>();

  /** An order that never named a contact leaves no document. */
  const put = async (institution: string, id: string, named: Named, { event, before, isFirst }: Arrival) => {
    const contact = readContact(event.data);
    const asOf = event.resource.version;
    const of = documents.of(institution);
    const stored = isFirst ? undefined : await of.get(id);
    if (!stored && contact !== null) await of.insertMany([{ id, ...named, contact, asOf }]);
    // An event without the one before it may be newer than some that come later.
    if (stored && (stored.contact !== contact || before === null))
      await of.update(id, (current) =>
        current.asOf < asOf || (current.asOf === asOf && current.pointOfSale === undefined)
          ? { next: { ...current, ...named, contact, asOf } }
          : undefined,
      );
  };

  return {
    /** If events come in disorder, the newest has to be learnt last. */
    async learn(institution: string, arrival: Arrival): Promise<void> {
      const { resource, position, data, belongsTo } = arrival.event;
      const [client = null] = belongsTo?.clientIds ?? [];
      const pointOfSale = belongsTo?.pointOfSale?.toLowerCase() ?? null;
      if (resource.type !== 'order' || (client === null && pointOfSale === null)) return;
      const id = deriveId('cct', institution, resource.id);
      const contact = readContact(data);
      const last = remembered.get(id);
      // Another process may have learnt the events between.
      const isKnown = last !== undefined && last.position === arrival.before && last.contact === contact;
      if (!isKnown) await put(institution, id, { client, pointOfSale }, arrival);
      if (remembered.size >= MOST) remembered.clear();
      remembered.set(id, { position, contact });
    },
    async namedWithin(
      institution: string,
      { ownClient, pointsOfSale }: EventBounds,
      contacts: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const within = restrictDocuments(documents.of(institution), {
        ...(ownClient !== null && { client: [ownClient] }),
        ...(pointsOfSale !== null && { pointOfSale: pointsOfSale }),
      });
      const named = new Set<string | null>();
      for (let rest = [...new Set(contacts)]; rest.length > 0; ) {
        const where = { contact: { in: rest } };
        const page = await within.find({ where, orderBy: 'contact', limit: PAGE });
        for (const { contact } of page) named.add(contact);
        rest = page.length < PAGE ? [] : rest.filter((contact) => !named.has(contact));
      }
      return named as ReadonlySet<string>;
    },
  };
}

const readContact = ({ contactNumber }: Arrival['event']['data']): string | null =>
  typeof contactNumber === 'string' ? contactNumber : null;

/** Null: everything in that respect. */
export interface EventBounds extends Pick<ReturnType<typeof computeRestriction>, 'ownClient' | 'pointsOfSale'> {
  /** This client sees its own contacts, and alone can use its cursors. */
  readonly client: string;
}

/** Undefined: none. A caller may see everything within its bounds. */
export function toEventBounds(reader: Restricted): EventBounds | undefined {
  const { ownClient, pointsOfSale } = computeRestriction(reader);
  return reader.bounds === null && pointsOfSale === null
    ? undefined
    : { client: reader.client ?? '', ownClient, pointsOfSale };
}

/**
 * The catalogue is everybody's. Contacts are of the client that made them and of those within whose bounds an order
 * names them; all else is of the order's client and point of sale.
 */
export async function selectVisibleEvents(
  clientContacts: ClientContacts,
  institution: string,
  events: readonly EventDocument[],
  bounds: EventBounds | undefined,
): Promise<readonly EventDocument[]> {
  if (!bounds || (bounds.ownClient === null && bounds.pointsOfSale === null)) return events;
  const { client } = bounds;
  const others = events.filter(
    ({ resource, belongsTo }) => resource.type === 'contact' && !isMadeBy(client, belongsTo),
  );
  const ids = others.map(({ resource }) => resource.id);
  const named = await clientContacts.namedWithin(institution, bounds, ids);
  return events.filter(({ resource: { type, id }, belongsTo }) => {
    if (type === 'product' || type === 'performance') return true;
    if (type === 'contact') return isMadeBy(client, belongsTo) || named.has(id);
    return isOwn(bounds, belongsTo) && isSoldAt(bounds, belongsTo);
  });
}

const isMadeBy = (client: string, belongsTo: BelongsTo | undefined): boolean =>
  belongsTo?.clientIds.includes(client) === true;

const isOwn = ({ ownClient }: EventBounds, belongsTo: BelongsTo | undefined): boolean =>
  ownClient === null || isMadeBy(ownClient, belongsTo);

const isSoldAt = ({ pointsOfSale }: EventBounds, belongsTo: BelongsTo | undefined): boolean =>
  pointsOfSale === null || pointsOfSale.includes(belongsTo?.pointOfSale?.toLowerCase() ?? '');

/** To a reader with bounds the sequence would show how much happens that it may not see. */
export function toEventView(
  { id, type, sequence, occurredAt, institution, resource, data }: EventDocument,
  publicUrl: string,
  bounds: EventBounds | undefined,
) {
  const path = isEventType(type) ? eventTypes[type].path(resource.id, data) : '/';
  const url = new URL(path, publicUrl).href;
  const { version } = resource;
  return {
    id,
    type,
    sequence: bounds ? null : sequence,
    occurredAt,
    institution,
    resource: { type: resource.type, id: resource.id, version, url },
    data,
  };
}
