// The contacts that exist for a client with bounds.

import type { ContactBounds } from '@boxoffice/identity';
import { type Documents, type Query, readDocuments, restrictDocuments } from '@boxoffice/store';
import type { ContactDocument, LinkDocument } from '../store.ts';

export type SeenContacts = Pick<Documents<ContactDocument>, 'insert' | 'get' | 'find' | 'update'>;

/**
 * Those that a client made or that orders within its bounds name; others do not exist for it. Lists are in ascending
 * order of `orderBy`, a timestamp.
 */
export function createBoundedContacts(
  contacts: Documents<ContactDocument>,
  links: Documents<LinkDocument>,
  { client, ownOrders, pointsOfSale }: ContactBounds,
): SeenContacts {
  const made = restrictDocuments(contacts, { 'createdBy.clientId': [client] });
  /** Each point of sale is queried by itself, which is a range of an index. */
  const naming = (pointsOfSale ?? [null]).map((host) =>
    restrictDocuments(links, {
      ...(ownOrders && { clientId: [client] }),
      ...(host !== null && { pointOfSale: [host] }),
    }),
  );

  const findNamedAmong = async (numbers: readonly string[]): Promise<ReadonlySet<string | null>> => {
    const where = { contactNumber: { in: numbers } };
    const found = await Promise.all(naming.map((named) => named.find({ where })));
    return new Set(found.flat().map(({ contactNumber }) => contactNumber));
  };

  /** The documents among which the client finds this contact, if at all. */
  const selectReachable = async (number: string) => ((await findNamedAmong([number])).size > 0 ? contacts : made);

  const readNamedByOrders = async () => {
    const numbers = new Set<string>();
    const query = { where: { contactNumber: { gt: '' } }, orderBy: 'contactNumber' };
    for (const named of naming)
      for await (const { contactNumber } of readDocuments(named, query)) if (contactNumber) numbers.add(contactNumber);
    return restrictDocuments(contacts, { id: [...numbers] });
  };

  /** Few contacts share an email, while a point of sale may have many orders. */
  const findByEmail = async ({ limit, ...query }: Query) => {
    const found = await contacts.find(query);
    const named = await findNamedAmong(found.map(({ id }) => id));
    return found.filter(({ id, createdBy }) => createdBy?.clientId === client || named.has(id)).slice(0, limit);
  };

  return {
    insert: made.insert,
    get: async (number) => (await selectReachable(number)).get(number),
    update: async (number, fn, options) => (await selectReachable(number)).update(number, fn, options),
    async find({ orderBy = 'createdAt', ...rest } = {}) {
      const query = { ...rest, orderBy };
      if (typeof rest.where?.emailKey === 'string') return findByEmail(query);
      const found = await Promise.all([made.find(query), (await readNamedByOrders()).find(query)]);
      const key = (contact: ContactDocument) => String(contact[orderBy as 'createdAt']);
      return [...new Map(found.flat().map((contact) => [contact.id, contact])).values()]
        .toSorted((left, right) => compare(key(left), key(right)) || compare(left.id, right.id))
        .slice(0, rest.limit);
    },
  };
}

/** Numbers and timestamps are ASCII, so that this is the order of the store. */
const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
