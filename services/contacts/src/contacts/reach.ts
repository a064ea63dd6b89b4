import { bounded, type Documents, documentsOf } from '@boxoffice/store';
import type { ContactDocument, LinkDocument } from '../store.ts';

/** What the operations do with contacts. */
export type SeenContacts = Pick<Documents<ContactDocument>, 'insert' | 'get' | 'find' | 'update'>;

/** Numbers and timestamps are ASCII, so that this is the order of the store. */
const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/**
 * The contacts that a client made or that its orders name; others do not exist for it. No contact is both: those that it
 * made have no link. Lists are in ascending order of `orderBy`, a timestamp.
 */
export const reachOf = (
  contacts: Documents<ContactDocument>,
  links: Documents<LinkDocument>,
  clientId: string,
): SeenContacts => {
  const made = bounded(contacts, { 'createdBy.clientId': [clientId] });

  /** The documents among which the client finds this contact, if it exists for it. */
  const around = async (number: string) => {
    const named = await links.find({ where: { clientId, contactNumber: number }, limit: 1 });
    return named.length > 0 ? contacts : made;
  };

  const namedByOrders = async () => {
    const numbers = new Set<string>();
    const query = { where: { clientId, contactNumber: { gt: '' } }, orderBy: 'contactNumber' };
    for await (const { contactNumber } of documentsOf(links, query)) if (contactNumber) numbers.add(contactNumber);
    return bounded(contacts, { id: [...numbers] });
  };

  return {
    insert: made.insert,
    get: async (number) => (await around(number)).get(number),
    update: async (number, fn, options) => (await around(number)).update(number, fn, options),
    async find({ orderBy = 'createdAt', limit, ...query } = {}) {
      const page = { ...query, orderBy, ...(limit !== undefined && { limit }) };
      // The client may have made many contacts, of which few share the email.
      const byEmail = query.where?.emailKey === undefined ? {} : { index: 'email' };
      const found = await Promise.all([made.find({ ...page, ...byEmail }), (await namedByOrders()).find(page)]);
      const key = (contact: ContactDocument) => String(contact[orderBy as 'createdAt']);
      return found
        .flat()
        .toSorted((left, right) => compare(key(left), key(right)) || compare(left.id, right.id))
        .slice(0, limit);
    },
  };
};
