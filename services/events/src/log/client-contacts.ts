import { derivedId } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { clientContactsCollection, type NewEvent } from '../store.ts';

/** Which contacts the orders of a client name. */
export type ClientContacts = ReturnType<typeof createClientContacts>;

/** Pairs that a process remembers to have stored, so that an order's later events cost nothing. */
const MOST = 10_000;

const idOf = (institution: string, client: string, contact: string): string =>
  derivedId('cct', institution, client, contact);

/** Opens the pairs of clients and contacts. */
export const createClientContacts = (store: Pick<Store, 'collection'>) => {
  const documents = store.collection(clientContactsCollection);
  const stored = new Set<string>();

  return {
    /** Remembers the contact that an order's event names, for the clients of the order. */
    async learn(institution: string, { resource, data, belongsTo }: NewEvent): Promise<void> {
      const { contactNumber: contact } = data;
      if (resource.type !== 'order' || typeof contact !== 'string' || !belongsTo) return;
      const pairs = belongsTo.clientIds.map((client) => ({ id: idOf(institution, client, contact), client, contact }));
      const unknown = pairs.filter(({ id }) => !stored.has(id));
      if (unknown.length === 0) return;
      await documents.of(institution).insertMany(unknown);
      if (stored.size >= MOST) stored.clear();
      for (const { id } of unknown) stored.add(id);
    },
    /** Those of the contacts that the client's orders name. */
    async namedBy(institution: string, client: string, contacts: readonly string[]): Promise<ReadonlySet<string>> {
      if (contacts.length === 0) return new Set();
      const ids = [...new Set(contacts)].map((contact) => idOf(institution, client, contact));
      const found = await documents.of(institution).find({ where: { id: { in: ids } } });
      return new Set(found.map(({ contact }) => contact));
    },
  };
};
