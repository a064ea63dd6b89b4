import type { ContactDocument } from '@boxoffice/contacts';
import type { SessionDocument, UserDocument } from '@boxoffice/pos';
import type { CheckedCollections } from './collections.ts';
import { type Case, caseOf, type Finding } from './findings.ts';
import { byId, byOwner } from './reading.ts';

const ownersOf = (erased: readonly ContactDocument[]) => erased.map(({ id, institution }) => ({ id, institution }));

/** Judges contacts: purchases of an erased contact contain no personal data. */
export const judgeContacts = async (
  collections: CheckedCollections,
  found: readonly ContactDocument[],
): Promise<Case[]> => {
  const erased = found.filter(({ erasedAt }) => erasedAt !== undefined);
  const orders = await byOwner(collections.orders, 'contactNumber', ownersOf(erased));
  const tickets = await byOwner(collections.tickets, 'contactNumber', ownersOf(erased));
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
    return caseOf('contact', contact, findings, () => ({
      read: [...naming, ...named],
      concerns: [...bought.map(({ id }) => id), ...named.map(({ orderId }) => orderId)],
    }));
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
  const contacts = await byId(
    collections.contacts,
    found.map(({ contactNumber }) => contactNumber),
  );
  return found.map((login) =>
    caseOf('login', login, whoFaults(login, 'login', contacts), () => ({ read: [], concerns: [login.contactNumber] })),
  );
};

/** Judges sessions: a missing cart is allowed, a cart of another point of sale is not. */
export const judgeSessions = async (
  collections: CheckedCollections,
  found: readonly SessionDocument[],
): Promise<Case[]> => {
  const orders = await byId(
    collections.orders,
    found.map(({ cartId }) => cartId),
  );
  const contacts = await byId(
    collections.contacts,
    found.map(({ contactNumber }) => contactNumber),
  );
  return found.map((session) => {
    const { id, institution, serviceHost, cartId, contactNumber } = session;
    const cart = orders.get(cartId ?? '');
    const foreign = cart && (cart.institution !== institution || cart.pointOfSale !== serviceHost);
    const text = `session ${id} of ${serviceHost} has the cart ${cartId}, which is of ${cart?.pointOfSale ?? 'no point of sale'}`;
    const findings: Finding[] = foreign ? [{ invariant: 'session_cart', offenders: [id, cartId ?? ''], text }] : [];
    return caseOf('session', session, [...findings, ...whoFaults(session, 'session', contacts)], () => ({
      read: cart ? [cart] : [],
      concerns: [cartId ?? '', contactNumber ?? ''],
    }));
  });
};
