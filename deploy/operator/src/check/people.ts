import type { ContactDocument } from '@boxoffice/contacts';
import type { SessionDocument, UserDocument } from '@boxoffice/pos';
import { type Case, caseOf, type Finding } from './findings.ts';
import { byOwner, type CheckedCollections, namedBy } from './reading.ts';

/** Judges contacts: purchases of an erased contact contain no personal data. */
export const judgeContacts = async (
  collections: CheckedCollections,
  found: readonly ContactDocument[],
): Promise<Case[]> => {
  const erased = found.filter(({ erasedAt }) => erasedAt !== undefined);
  const orders = await byOwner(collections.orders, 'contactNumber', erased);
  const tickets = await byOwner(collections.tickets, 'contactNumber', erased);
  return erased.map((contact) => {
    // A cart's names are deleted when it ends; until then they are tied to no contact.
    const bought = (orders.get(contact.id) ?? []).filter(({ listedAt }) => listedAt !== null);
    const naming = bought.filter(({ lines }) => lines.some(({ beneficiary }) => beneficiary));
    const named = (tickets.get(contact.id) ?? []).filter(
      ({ beneficiary, successor }) => beneficiary !== null || (successor?.beneficiary ?? null) !== null,
    );
    const findings = [...naming, ...named].map(({ id }): Finding => {
      const text = `contact ${contact.id} was erased, and ${id} still contains a name`;
      return { invariant: 'erasure', offenders: [id, contact.id], text };
    });
    const concerns = [...bought.map(({ id }) => id), ...named.map(({ orderId }) => orderId)];
    return caseOf('contact', contact, findings, [...naming, ...named], concerns);
  });
};

const whoFaults = (
  { id, institution, contactNumber }: SessionDocument | UserDocument,
  what: string,
  contacts: ReadonlyMap<string, ContactDocument>,
): Finding[] => {
  const contact = contacts.get(contactNumber ?? '');
  if (contactNumber === null || (contact?.institution === institution && contact.erasedAt === undefined)) return [];
  const text = `${what} ${id} is of the contact ${contactNumber}, which ${contact?.erasedAt ? 'was erased' : 'does not exist'}`;
  return [{ invariant: 'contact', offenders: [id, contactNumber], text }];
};

/** Judges logins at points of sale. */
export const judgeLogins = async (collections: CheckedCollections, found: readonly UserDocument[]): Promise<Case[]> => {
  const contacts = await namedBy(collections.contacts, found, 'contactNumber');
  return found.map((login) => caseOf('login', login, whoFaults(login, 'login', contacts), [], [login.contactNumber]));
};

/** Judges sessions: a missing cart is allowed, a cart of another point of sale is not. */
export const judgeSessions = async (
  collections: CheckedCollections,
  found: readonly SessionDocument[],
): Promise<Case[]> => {
  const orders = await namedBy(collections.orders, found, 'cartId');
  const contacts = await namedBy(collections.contacts, found, 'contactNumber');
  return found.map((session) => {
    const { id, institution, serviceHost, cartId, contactNumber } = session;
    const cart = orders.get(cartId ?? '');
    const foreign = cart && (cart.institution !== institution || cart.pointOfSale !== serviceHost);
    const text = `session ${id} of ${serviceHost} has the cart ${cartId}, which is of ${cart?.pointOfSale ?? 'no point of sale'}`;
    const findings: Finding[] = foreign ? [{ invariant: 'session_cart', offenders: [id, cartId ?? ''], text }] : [];
    findings.push(...whoFaults(session, 'session', contacts));
    return caseOf('session', session, findings, cart ? [cart] : [], [cartId ?? '', contactNumber ?? '']);
  });
};
