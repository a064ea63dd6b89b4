import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Call,
  type Client,
  createAuthorizationRequest,
  keepCookies,
  readCode,
  sendForm,
} from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { requireData, sendCommand } from './api.ts';

export type SignInAccount = Awaited<ReturnType<typeof openAccount>>;

export interface UsedToken {
  /** The successors that it was given: more than one only if a repeat gave another one. */
  readonly successors: Set<string>;
  /** Requests with it that had a conclusive answer, and those that had none. */
  given: number;
  refused: number;
  unknown: number;
}

export interface KnownGrant {
  readonly code: UsedToken;
  readonly tokens: UsedToken[];
  /** Whether a used token was shown again and refused, so that everything of the grant has ended. */
  ended: boolean;
  givenAfterEnd: number;
  /** The browser's session after an acknowledged sign-in: undefined where the answer was inconclusive. */
  readonly signedIn: boolean | undefined;
}

const CALLBACK = 'https://desk.example.org/callback';
const PASSWORD = 'four swans on a cold lake';
const REFRESHES = 3;
/** Below the ten seconds within which a lost answer may be asked for again. */
const REPEAT_WITHIN_MS = 6_000;

export async function openAccount(visit: Client, api: Client) {
  const scopes = ['orders:read'];
  const { clientId } = await requireData(
    api,
    '/svc/v3/clients',
    post({ name: 'desk', type: 'public', scopes, redirectUris: [CALLBACK] }),
  );
  const login = `${randomUUID()}@example.org`;
  const { invitation } = await requireData(api, '/svc/v3/users', post({ login, name: 'Ana', role: 'manager' }));
  const token = new URL(invitation.url).searchParams.get('token') ?? '';
  const body = new URLSearchParams({ token, password: PASSWORD, repeat: PASSWORD });
  const { status } = await visit('/auth/invitation', { method: 'POST', body });
  if (status !== 200) throw new Error(`/auth/invitation answered ${status}`);
  return { clientId, login, password: PASSWORD };
}

const post = (body: object): Call => ({ method: 'POST', body });

interface SignedIn {
  readonly exchange: Readonly<Record<string, string>>;
  /** Whether the browser is signed in now; undefined if the answer was inconclusive. */
  readonly signedIn: boolean | undefined;
}

/** A user signs in and the application exchanges the code; returns the refresh token, undefined if there is none. */
export async function signInForRefreshToken(
  deployment: Pick<Deployment, 'address'>,
  visit: Client,
  account: SignInAccount,
): Promise<string | undefined> {
  const signedIn = await signIn(deployment, visit, account);
  return signedIn && use(visit, signedIn.exchange, newUse());
}

/** A user signs in at a browser of its own; undefined if it came to no code. */
const signIn = async (
  { address }: Pick<Deployment, 'address'>,
  visit: Client,
  { clientId, login, password }: SignInAccount,
): Promise<SignedIn | undefined> => {
  const browser = keepCookies(visit, new URL(address.baseUrl).origin);
  const { path, createExchange } = createAuthorizationRequest(clientId, CALLBACK, 'offline_access orders:read');
  try {
    const code = readCode(await sendForm(browser, await browser(path), { login, password }));
    if (code === undefined) return undefined;
    const again = await browser(path).catch(() => undefined);
    const signedIn = again === undefined || again.status >= 500 ? undefined : readCode(again) !== undefined;
    return { exchange: createExchange(code), signedIn };
  } catch {
    // Without an answer there is no code.
    return undefined;
  }
};

/** Sends a code or refresh token until the answer is conclusive; returns the refresh token that it gives. */
const use = async (
  visit: Client,
  fields: Readonly<Record<string, string>>,
  used: UsedToken,
  grant?: KnownGrant,
): Promise<string | undefined> => {
  for (const startedAt = performance.now(); ; ) {
    const body = new URLSearchParams(fields);
    const reply = await visit('/auth/token', { method: 'POST', body }).catch(() => undefined);
    if (reply?.status === 200) {
      used.given += 1;
      used.successors.add(reply.body.refresh_token);
      if (grant?.ended) grant.givenAfterEnd += 1;
      return reply.body.refresh_token;
    }
    if (reply?.status === 400) {
      used.refused += 1;
      return undefined;
    }
    used.unknown += 1;
    if (performance.now() - startedAt > REPEAT_WITHIN_MS) return undefined;
    await pause(100);
  }
};

const newUse = (): UsedToken => ({ successors: new Set(), given: 0, refused: 0, unknown: 0 });

/** The successor of a refresh token; undefined if it is refused. */
export function refresh(visit: Client, account: SignInAccount, token: string): Promise<string | undefined> {
  return use(visit, refreshing(account, token), newUse());
}

const refreshing = ({ clientId }: SignInAccount, refreshToken: string) => ({
  client_id: clientId,
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
});

/**
 * A user signs in, the application exchanges the code and refreshes, and a copy of a used token is shown at the end.
 * Undefined if it came to no code.
 */
export async function signInAndRefresh(
  deployment: Pick<Deployment, 'address'>,
  visit: Client,
  account: SignInAccount,
): Promise<KnownGrant | undefined> {
  const found = await signIn(deployment, visit, account);
  if (!found) return undefined;
  const { exchange, signedIn } = found;
  const grant: KnownGrant = { code: newUse(), tokens: [], ended: false, givenAfterEnd: 0, signedIn };
  const first = await use(visit, exchange, grant.code);
  // After an answer that was lost, the repeat is a second use, which ends the grant.
  if (first === undefined) return grant;
  let token: string | undefined = first;
  for (let turn = 0; turn < REFRESHES && token !== undefined; turn += 1) {
    const used = newUse();
    grant.tokens.push(used);
    token = await use(visit, refreshing(account, token), used);
  }
  if (token === undefined) return grant;
  const copy = newUse();
  await use(visit, refreshing(account, first), copy);
  grant.ended = copy.refused > 0;
  grant.givenAfterEnd += copy.given;
  await use(visit, refreshing(account, token), newUse(), grant);
  await use(visit, exchange, grant.code, grant);
  return grant;
}

/** A contact with a user of its own; undefined if its creation or its erasure was not acknowledged. */
export async function eraseCustomer(api: Client): Promise<string | undefined> {
  const send = async (path: string, method: string, body?: object) => {
    const { outcome, data } = await sendCommand(api, path, method, body);
    return outcome === 'ok' ? data : undefined;
  };
  const individuals = '/svc/v3/contacts/individuals';
  const contact = await send(individuals, 'POST', { lastName: 'Customer', email: `${randomUUID()}@example.org` });
  if (!contact) return undefined;
  const { contactNumber } = contact;
  const login = `${randomUUID()}@example.org`;
  const user = await send('/svc/v3/users', 'POST', { login, name: 'Ana', role: 'customer', contactNumber });
  const erased = await send(`${individuals}/${contactNumber}`, 'DELETE');
  return user && erased ? user.userId : undefined;
}

export async function readCountedRequests(api: Client, apiKeyId: string): Promise<number> {
  const path = '/svc/v3/usage?granularity=day&groupBy=apiKey&limit=500';
  const { items }: { items: { apiKeyId: string | null; requests: number }[] } = await requireData(api, path);
  const own = items.filter((item) => item.apiKeyId === apiKeyId);
  return own.reduce((sum, { requests }) => sum + requests, 0);
}
