import type {
  ApiKeyDocument,
  ApiKeyUseDocument,
  GrantDocument,
  SessionDocument,
  UserDocument,
} from '@boxoffice/authorizer';
import type { CheckedCollections } from './collections.ts';
import { type Case, caseOf, type Finding, type Invariant } from './findings.ts';
import { byId } from './reading.ts';

/** The findings of the rules that do not hold for a document. */
const broken = (
  invariant: Invariant,
  what: string,
  rules: readonly (readonly [holds: boolean, text: string, other?: string])[],
  id: string,
): Finding[] =>
  rules.flatMap(([holds, text, other]): Finding[] =>
    holds ? [] : [{ invariant, offenders: other === undefined ? [id] : [id, other], text: `${what} ${id} ${text}` }],
  );

/** Judges users of the institution API. The erasure of a contact deletes its users, a moment later. */
export const judgeUsers = async (collections: CheckedCollections, found: readonly UserDocument[]): Promise<Case[]> => {
  const contacts = await byId(
    collections.contacts,
    found.map(({ contactNumber }) => contactNumber),
  );
  return found.map((user) => {
    const { id, institution, state, role, passwordHash, contactNumber } = user;
    const contact = contacts.get(contactNumber ?? '');
    const isErased = contact?.institution === institution && contact.erasedAt !== undefined;
    const findings = broken(
      'user',
      'user',
      [
        [state !== 'active' || passwordHash !== null, 'is active and has no password'],
        [state !== 'invited' || passwordHash === null, 'is invited and has a password'],
        [role !== 'customer' || contactNumber !== null, 'is a customer without a contact'],
        [!isErased, `has the contact ${contactNumber}, which was erased`, contactNumber ?? ''],
      ],
      id,
    );
    return caseOf('user', user, findings, () => ({
      read: contact ? [contact] : [],
      concerns: contactNumber === null ? [] : [contactNumber],
    }));
  });
};

const HOUR_MS = 3_600_000;
/** The longest session, and the longest chain of refresh tokens with its last access token. */
const LONGEST_SESSION_MS = 12 * HOUR_MS;
const LONGEST_GRANT_MS = 91 * 24 * HOUR_MS;

/** Judges sessions of users. A deleted user's session is over, and stays until it expires. */
export const judgeSignIns = async (
  collections: CheckedCollections,
  found: readonly SessionDocument[],
): Promise<Case[]> => {
  const users = await byId(
    collections.users,
    found.map(({ userId }) => userId),
  );
  return found.map((session) => {
    const { id, institution, userId, signedInAt, expiresAt } = session;
    const user = users.get(userId);
    const findings = broken(
      'sign_in',
      'session',
      [
        [!user || user.institution === institution, `is of ${userId}, who is another institution’s user`, userId],
        [expiresAt - signedInAt <= LONGEST_SESSION_MS, 'lasts longer than twelve hours'],
      ],
      id,
    );
    return caseOf('sign_in', session, findings, () => ({ read: user ? [user] : [], concerns: [] }));
  });
};

/** Judges what users granted. Deleted clients stay. */
export const judgeGrants = async (
  collections: CheckedCollections,
  found: readonly GrantDocument[],
): Promise<Case[]> => {
  const users = await byId(
    collections.users,
    found.map(({ userId }) => userId),
  );
  const clients = await byId(
    collections.clients,
    found.map(({ clientId }) => clientId),
  );
  return found.map((grant) => {
    const { id, institution, userId, clientId, exchangedAt, refresh, createdAt, expiresAt } = grant;
    const [user, client] = [users.get(userId), clients.get(clientId)];
    const findings = broken(
      'sign_in',
      'grant',
      [
        [!user || user.institution === institution, `is of ${userId}, who is another institution’s user`, userId],
        [client?.institution === institution, `is of ${clientId}, which is no client of its institution`, clientId],
        [exchangedAt !== null || refresh === null, 'has refresh tokens, although its code was never exchanged'],
        [expiresAt - createdAt <= LONGEST_GRANT_MS, 'lasts longer than its refresh tokens may'],
      ],
      id,
    );
    return caseOf('grant', grant, findings, () => ({
      read: [user, client].flatMap((one) => one ?? []),
      concerns: [],
    }));
  });
};

/** Judges API keys. Deleted keys stay, so that their usage keeps a name. */
export const judgeApiKeys = async (
  _collections: CheckedCollections,
  found: readonly ApiKeyDocument[],
): Promise<Case[]> =>
  found.map((apiKey) => {
    const { id, deletedAt, origins } = apiKey;
    const rules = [[deletedAt === null || origins.length === 0, 'is deleted and has origins']] as const;
    return caseOf('api_key', apiKey, broken('api_key', 'API key', rules, id), () => ({ read: [], concerns: [] }));
  });

/** Judges the use of API keys: it is of a key of the same institution. */
export const judgeApiKeyUses = async (
  collections: CheckedCollections,
  found: readonly ApiKeyUseDocument[],
): Promise<Case[]> => {
  const apiKeys = await byId(
    collections.apiKeys,
    found.map(({ id }) => id),
  );
  return found.map((use) => {
    const { id, institution } = use;
    const apiKey = apiKeys.get(id);
    const rules = [[apiKey?.institution === institution, 'was used and is no key of its institution']] as const;
    const findings = broken('api_key', 'API key', rules, id);
    return caseOf('api_key_use', use, findings, () => ({ read: apiKey ? [apiKey] : [], concerns: [] }));
  });
};
