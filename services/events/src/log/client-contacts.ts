import { derivedId } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { clientContactsCollection } from '../store.ts';
import type { Arrival } from './log.ts';

/** Which contacts the orders of a client name. */
export type ClientContacts = ReturnType<typeof createClientContacts>;

/** Orders of which a process remembers the last event, so that later ones with the same contact cost nothing. */
const MOST = 10_000;

/** Documents of one read: many orders may name one contact. */
const PAGE = 500;

/** What the last event of an order said. */
interface Said {
  readonly position: number;
  readonly contact: string | null;
}

const contactOf = ({ contactNumber }: Arrival['event']['data']): string | null =>
  typeof contactNumber === 'string' ? contactNumber : null;

/** Opens the contacts that orders of clients name. */
export const createClientContacts = (store: Pick<Store, 'collection'>) => {
  const documents = store.collection(clientContactsCollection);
  const remembered = new Map<string, Said>();

  /** Stores the contact of an order; an order that never named one leaves no document. */
  const put = async (institution: string, id: string, client: string, { event, before, isFirst }: Arrival) => {
    const contact = contactOf(event.data);
    const asOf = event.resource.version;
    const of = documents.of(institution);
    const stored = isFirst ? undefined : await of.get(id);
    if (!stored && contact !== null) await of.insertMany([{ id, client, contact, asOf }]);
    // An event without the one before it may be newer than some that come later.
    if (stored && (stored.contact !== contact || before === null))
      await of.update(id, (current) => (current.asOf < asOf ? { next: { ...current, contact, asOf } } : undefined));
  };

  return {
    /**
     * Remembers the contact that an order of a client names by its event, or that it names none any more. If events come
     * in disorder, the newest has to be learnt last, if need be again.
     */
    async learn(institution: string, arrival: Arrival): Promise<void> {
      const { resource, position, data, belongsTo } = arrival.event;
      const [client] = belongsTo?.clientIds ?? [];
      if (resource.type !== 'order' || client === undefined) return;
      const id = derivedId('cct', institution, resource.id);
      const contact = contactOf(data);
      const last = remembered.get(id);
      // Another process may have learnt the events between.
      const isKnown = last !== undefined && last.position === arrival.before && last.contact === contact;
      if (!isKnown) await put(institution, id, client, arrival);
      if (remembered.size >= MOST) remembered.clear();
      remembered.set(id, { position, contact });
    },
    /** Those of the contacts that the client's orders name. */
    async namedBy(institution: string, client: string, contacts: readonly string[]): Promise<ReadonlySet<string>> {
      const named = new Set<string | null>();
      for (let rest = [...new Set(contacts)]; rest.length > 0; ) {
        const where = { client, contact: { in: rest } };
        const page = await documents.of(institution).find({ where, orderBy: 'contact', limit: PAGE });
        for (const { contact } of page) named.add(contact);
        rest = page.length < PAGE ? [] : rest.filter((contact) => !named.has(contact));
      }
      return named as ReadonlySet<string>;
    },
  };
};
