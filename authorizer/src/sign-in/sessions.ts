import { insertUnlessTaken, type Store } from '@boxoffice/store';
import { isOpen, SESSION_ABSOLUTE_MS, TOUCH_MS } from '../domain/user.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import { consentsCollection, type SessionDocument, sessionsCollection } from '../store.ts';
import { type Account, type Accounts, isSignedIn } from '../users/accounts.ts';

/** `__Host-`: set only by this host over TLS (RFC 6265bis, 4.1.3.2). Lax: not with a form that another site sends. */
export const SESSION_COOKIE = '__Host-boxoffice-session';
/** Binds a form to the browser that it was shown in. */
export const BROWSER_COOKIE = '__Host-boxoffice-browser';

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** `Set-Cookie` for as long as the browser is open. */
export function setCookie(name: string, value: string): string {
  return `${name}=${value}; ${ATTRIBUTES}`;
}

export function removeCookie(name: string): string {
  return `${name}=; Max-Age=0; ${ATTRIBUTES}`;
}

const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** A well-formed value of the cookie; undefined where it is absent, malformed, or sent twice with different values. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = new Set(
    (header ?? '')
      .split(';')
      .map((pair) => pair.trim().split('=', 2))
      .filter(([key]) => key === name)
      .map(([, value = '']) => value),
  );
  const [value] = values;
  return values.size === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
}

/** The value that forms are bound to: that of the browser's cookie, or a new one with its `Set-Cookie`. */
export function identifyBrowser(header: string | undefined): { readonly browser: string; readonly cookies: string[] } {
  const known = readCookie(header, BROWSER_COOKIE);
  if (known !== undefined) return { browser: known, cookies: [] };
  const browser = makeSecret();
  return { browser, cookies: [setCookie(BROWSER_COOKIE, browser)] };
}

export interface OpenSession {
  readonly session: SessionDocument;
  readonly account: Account;
}

/** The sessions of users. A token is 256 random bits; the store contains only its hash. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(store: Store, accounts: Pick<Accounts, 'current'>, now: () => number) {
  const sessions = store.collection(sessionsCollection);

  const touch = (session: SessionDocument, at: number): void => {
    if (at - session.lastSeenAt < TOUCH_MS) return;
    // Not awaited, so that it delays no request; after a failure the next request writes again.
    sessions
      .of(session.institution)
      .update(session.id, (current) => (current.lastSeenAt < at ? { next: { ...current, lastSeenAt: at } } : undefined))
      .catch(() => undefined);
  };

  const open = async (session: SessionDocument | undefined): Promise<OpenSession | undefined> => {
    const at = now();
    if (!session || !isOpen(session, at)) return undefined;
    const account = await accounts.current(session.institution, session.userId);
    if (!account || !isSignedIn(account, session.signedInAt)) return undefined;
    touch(session, at);
    return { session, account };
  };

  const ofToken = async (token: string | undefined): Promise<OpenSession | undefined> =>
    open(token === undefined ? undefined : await sessions.acrossInstitutions.get(toId(token)));

  return {
    /** Begins a session; its token is returned only here. A session that the browser had before ends. */
    begin: async (account: Account, former: string | undefined) => {
      const token = makeSecret();
      const at = now();
      const times = { signedInAt: at, lastSeenAt: at, expiresAt: at + SESSION_ABSOLUTE_MS };
      const session = await sessions.of(account.institution).insert({ id: toId(token), userId: account.id, ...times });
      if (former !== undefined) await sessions.acrossInstitutions.delete(toId(former));
      return { token, session };
    },
    /** Of this institution; renews the idle time. Undefined if its user may no longer sign in or has signed out. */
    find: async (institution: string, token: string | undefined): Promise<OpenSession | undefined> => {
      const found = await ofToken(token);
      return found?.session.institution === institution ? found : undefined;
    },
    /** The live session of this id, which an ID token names as `sid`. */
    ofId: async (institution: string, id: string) => open(await sessions.of(institution).get(id)),
    ofToken,
    end: async ({ institution, id }: SessionDocument): Promise<void> => {
      await sessions.of(institution).delete(id);
    },
  };
}

const toId = (token: string): string => hashSecret(`session ${token}`);

interface Agreement {
  readonly institution: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The remembered consents: one per user, client and set of scopes. */
export type Consents = ReturnType<typeof createConsents>;

export function createConsents(store: Store, now: () => number) {
  const consents = store.collection(consentsCollection);
  return {
    isGiven: async (agreement: Agreement): Promise<boolean> =>
      (await consents.of(agreement.institution).get(toConsentId(agreement))) !== undefined,
    give: async ({ institution, ...agreed }: Agreement): Promise<void> => {
      const id = toConsentId({ institution, ...agreed });
      await insertUnlessTaken(consents.of(institution), { id, ...agreed, createdAt: new Date(now()).toISOString() });
    },
  };
}

const toConsentId = ({ institution, userId, clientId, scopes }: Agreement): string =>
  hashSecret(JSON.stringify(['consent', institution, userId, clientId, ...scopes.toSorted()]));
