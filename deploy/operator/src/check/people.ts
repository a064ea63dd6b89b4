import type {
  ApiKeyDocument,
  ApiKeyUseDocument,
  GrantDocument,
  SessionDocument,
  UserDocument,
} from '@boxoffice/authorizer';
import type { ContactDocument } from '@boxoffice/contacts';
import type { UserDocument as LoginDocument, SessionDocument as VisitDocument } from '@boxoffice/pos';
import { type Case, createCase, type Finding, findBrokenRules } from './findings.ts';
import { type CheckedCollections, findByOwner, findReferencedDocuments } from './reading.ts';

/** Judges contacts: purchases of an erased contact contain no personal data. */
export async function judgeContacts(
  collections: CheckedCollections,
  found: readonly ContactDocument[],
): Promise<Case[]> {
  const erased = found.filter(({ erasedAt }) => erasedAt !== undefined);
  const orders = await findByOwner(collections.orders, 'contactNumber', erased);
  const tickets = await findByOwner(collections.tickets, 'contactNumber', erased);
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
    return createCase('contact', contact, findings, [...naming, ...named], concerns);
  });
}

export async function judgeLogins(collections: CheckedCollections, found: readonly LoginDocument[]): Promise<Case[]> {
  const contacts = await findReferencedDocuments(collections.contacts, found, 'contactNumber');
  return found.map((login) =>
    createCase('login', login, whoFaults(login, 'login', contacts), [], [login.contactNumber]),
  );
}

const whoFaults = (
  { id, institution, contactNumber }: VisitDocument | LoginDocument,
  what: string,
  contacts: ReadonlyMap<string, ContactDocument>,
): Finding[] => {
  const contact = contacts.get(contactNumber ?? '');
  if (contactNumber === null || (contact?.institution === institution && contact.erasedAt === undefined)) return [];
  const text = `${what} ${id} is of the contact ${contactNumber}, which ${contact?.erasedAt ? 'was erased' : 'does not exist'}`;
  return [{ invariant: 'contact', offenders: [id, contactNumber], text }];
};

/** Judges sessions: a missing cart is allowed, a cart of another point of sale is not. */
export async function judgeSessions(collections: CheckedCollections, found: readonly VisitDocument[]): Promise<Case[]> {
  const orders = await findReferencedDocuments(collections.orders, found, 'cartId');
  const contacts = await findReferencedDocuments(collections.contacts, found, 'contactNumber');
  return found.map((session) => {
    const { id, institution, serviceHost, cartId, contactNumber } = session;
    const cart = orders.get(cartId ?? '');
    const foreign = cart && (cart.institution !== institution || cart.pointOfSale !== serviceHost);
    const text = `session ${id} of ${serviceHost} has the cart ${cartId}, which is of ${cart?.pointOfSale ?? 'no point of sale'}`;
    const findings: Finding[] = foreign ? [{ invariant: 'session_cart', offenders: [id, cartId ?? ''], text }] : [];
    findings.push(...whoFaults(session, 'session', contacts));
    return createCase('session', session, findings, cart ? [cart] : [], [cartId ?? '', contactNumber ?? '']);
  });
}

/** Judges users of the institution API. The erasure of a contact deletes its users, a moment later. */
export async function judgeUsers(collections: CheckedCollections, found: readonly UserDocument[]): Promise<Case[]> {
  const contacts = await findReferencedDocuments(collections.contacts, found, 'contactNumber');
  return found.map((user) => {
    const { id, institution, state, role, passwordHash, contactNumber } = user;
    const contact = contacts.get(contactNumber ?? '');
    const isErased = contact?.institution === institution && contact.erasedAt !== undefined;
    const findings = findBrokenRules('user', id, `user ${id}`, [
      [state !== 'active' || passwordHash !== null, 'is active and has no password'],
      [state !== 'invited' || passwordHash === null, 'is invited and has a password'],
      [role !== 'customer' || contactNumber !== null, 'is a customer without a contact'],
      [!isErased, `has the contact ${contactNumber}, which was erased`, contactNumber ?? ''],
    ]);
    return createCase('user', user, findings, contact ? [contact] : [], [contactNumber ?? '']);
  });
}

const HOUR_MS = 3_600_000;
/** The longest session, and the longest chain of refresh tokens with its last access token. */
const LONGEST_SESSION_MS = 12 * HOUR_MS;
const LONGEST_GRANT_MS = 91 * 24 * HOUR_MS;

/** Judges sessions of users. A deleted user's session is over, and stays until it expires. */
export async function judgeSignIns(
  collections: CheckedCollections,
  found: readonly SessionDocument[],
): Promise<Case[]> {
  const users = await findReferencedDocuments(collections.users, found, 'userId');
  return found.map((session) => {
    const { id, institution, userId, signedInAt, expiresAt } = session;
    const user = users.get(userId);
    const findings = findBrokenRules('sign_in', id, `session ${id}`, [
      [!user || user.institution === institution, `is of ${userId}, who is another institution’s user`, userId],
      [expiresAt - signedInAt <= LONGEST_SESSION_MS, 'lasts longer than twelve hours'],
    ]);
    return createCase('sign_in', session, findings, user ? [user] : []);
  });
}

/** Judges what users granted. Deleted clients stay. */
export async function judgeGrants(collections: CheckedCollections, found: readonly GrantDocument[]): Promise<Case[]> {
  const users = await findReferencedDocuments(collections.users, found, 'userId');
  const clients = await findReferencedDocuments(collections.clients, found, 'clientId');
  return found.map((grant) => {
    const { id, institution, userId, clientId, exchangedAt, refresh, createdAt, expiresAt } = grant;
    const [user, client] = [users.get(userId), clients.get(clientId)];
    const findings = findBrokenRules('sign_in', id, `grant ${id}`, [
      [!user || user.institution === institution, `is of ${userId}, who is another institution’s user`, userId],
      [client?.institution === institution, `is of ${clientId}, which is no client of its institution`, clientId],
      [exchangedAt !== null || refresh === null, 'has refresh tokens, although its code was never exchanged'],
      [expiresAt - createdAt <= LONGEST_GRANT_MS, 'lasts longer than its refresh tokens may'],
    ]);
    return createCase(
      'grant',
      grant,
      findings,
      [user, client].flatMap((one) => one ?? []),
    );
  });
}

/** Judges API keys. Deleted keys stay, so that their usage keeps a name. */
export async function judgeApiKeys(
  _collections: CheckedCollections,
  found: readonly ApiKeyDocument[],
): Promise<Case[]> {
  return found.map((apiKey) => {
    const { id, deletedAt, origins } = apiKey;
    const rules = [[deletedAt === null || origins.length === 0, 'is deleted and has origins']] as const;
    return createCase('api_key', apiKey, findBrokenRules('api_key', id, `API key ${id}`, rules));
  });
}

/** Judges the use of API keys: it is of a key of the same institution. */
export async function judgeApiKeyUses(
  collections: CheckedCollections,
  found: readonly ApiKeyUseDocument[],
): Promise<Case[]> {
  const apiKeys = await findReferencedDocuments(collections.apiKeys, found, 'id');
  return found.map((use) => {
    const { id, institution } = use;
    const apiKey = apiKeys.get(id);
    const rules = [[apiKey?.institution === institution, 'was used and is no key of its institution']] as const;
    const findings = findBrokenRules('api_key', id, `API key ${id}`, rules);
    return createCase('api_key_use', use, findings, apiKey ? [apiKey] : []);
  });
}
