import { PosFault } from '@boxoffice/envelope';
import { createCache } from '../clients/cache.ts';
import type { Contacts } from '../clients/contacts.ts';
import type { Visit } from '../request/admit.ts';

/**
 * Requires that the contact is that of the logged-in user (specification, section 4, rule 11).
 * @throws {PosFault} login_required without a login, contact_not_accessible for another contact
 */
export const requireContact = ({ session }: Visit, contactNumber: string): void => {
  if (!session || session.contactNumber === null) {
    throw new PosFault(
      'login_required',
      'contactNumber needs a session with a logged-in user: log in with POST /sessions.',
    );
  }
  if (session.contactNumber !== contactNumber) {
    throw new PosFault('contact_not_accessible', 'contactNumber is not that of the logged-in user.');
  }
};

/** The criteria of the contact that a request names; empty without contactNumber, even if the visitor is logged in. */
export type ContactCriteria = (visit: Visit, contactNumber: string | undefined) => Promise<readonly string[]>;

const CONTACTS = 10_000;
const NOTHING: readonly string[] = [];

/** Creates the look-up; criteria are cached for at most a second. Rejects as {@link requireContact} throws. */
export const createContactCriteria = (contacts: Pick<Contacts, 'known'>): ContactCriteria => {
  const known = createCache<readonly string[]>({ maxAgeMs: 1_000, refreshMs: 500, max: CONTACTS });
  return async (visit, contactNumber) => {
    if (contactNumber === undefined) return NOTHING;
    requireContact(visit, contactNumber);
    const { institution } = visit.pointOfSale;
    const { value } = await known.get(`${institution} ${contactNumber}`, async () => {
      const asOf = Date.now();
      const contact = await contacts.known(institution, contactNumber);
      return { value: contact && contact.erasedAt === null ? [...contact.criteria].sort() : NOTHING, asOf };
    });
    return value;
  };
};
