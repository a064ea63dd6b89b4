import { PosFault } from '@boxoffice/envelope';
import type { Contacts } from '../clients/contacts.ts';
import { createFresh } from '../clients/fresh.ts';
import type { Visit } from '../request/visit.ts';

/**
 * Requires that the visitor may act for the contact (specification, section 4, rule 11): without a login 401, another's 403.
 */
export const requireContact = ({ session }: Visit, contactNumber: string): void => {
  if (!session || session.contactNumber === null) {
    throw new PosFault('login_required', 'A contact number is only for who is logged in.');
  }
  if (session.contactNumber !== contactNumber) {
    throw new PosFault('contact_not_accessible', 'The contact is not that of the logged-in user.');
  }
};

/** What the contact has that a request names; nothing if it names none, however logged in the visitor is. */
export type ContactCriteria = (visit: Visit, contactNumber: string | undefined) => Promise<readonly string[]>;

const CONTACTS = 10_000;
const NOTHING: readonly string[] = [];

/** Makes the look-up; what a contact has is at most a second old. Rejects as {@link requireContact}. */
export const createContactCriteria = (contacts: Pick<Contacts, 'known'>): ContactCriteria => {
  const known = createFresh<readonly string[]>({ maxAgeMs: 1_000, refreshMs: 500, max: CONTACTS });
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
