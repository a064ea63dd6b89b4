import { type Client, waitUntil } from '@boxoffice/testkit';
import { must, openApi, openVisit } from '../../src/client/api.ts';
import { openAccount, refresh, type SignInAccount, signInForRefreshToken } from '../../src/client/users.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';

type Reached = Pick<Deployment, 'address' | 'partner'>;

/** A user who has signed in, and an API key whose requests are counted. */
export interface Access {
  readonly account: SignInAccount;
  readonly refreshToken: string;
  readonly apiKeyId: string;
  readonly key: string;
}

const REQUESTS = 5;
/** Four times as long as a count may take to be visible. */
const VISIBLE_MS = 60_000;

const ask = async (visit: Client, key: string): Promise<number> =>
  (await visit('/svc/v3/catalog/products?limit=1', { headers: { 'x-api-key': key } })).status;

/** The counted requests of the key: in the usage, and in its own month. */
const countsOf = async (api: Client, apiKeyId: string): Promise<readonly number[]> => {
  const { items } = await must(api, '/svc/v3/usage?granularity=day&groupBy=apiKey&limit=500');
  const own = (items as { readonly apiKeyId: string | null; readonly requests: number }[]).filter(
    (item) => item.apiKeyId === apiKeyId,
  );
  const { usedThisMonth } = await must(api, `/svc/v3/api-keys/${apiKeyId}`);
  return [own.reduce((sum, { requests }) => sum + requests, 0), usedThisMonth];
};

/** Signs a user in, and asks with an API key until its requests are counted. */
export const access = async (deployment: Reached): Promise<Access> => {
  const [api, visit] = [openApi(deployment), openVisit(deployment)];
  const account = await openAccount(visit, api);
  const refreshToken = await signInForRefreshToken(deployment, visit, account);
  if (refreshToken === undefined) throw new Error('the user was not signed in');
  const { apiKeyId, key } = await must(api, '/svc/v3/api-keys', { method: 'POST', body: { name: 'calendar' } });
  for (let request = 0; request < REQUESTS; request += 1) {
    const status = await ask(visit, key);
    if (status !== 200) throw new Error(`a public request was answered ${status}`);
  }
  const isCounted = async () => (await countsOf(api, apiKeyId)).every((count) => count === REQUESTS);
  await waitUntil(isCounted, { what: 'the counted requests', withinMs: VISIBLE_MS });
  return { account, refreshToken, apiKeyId, key };
};

/** What an installation lacks of it. */
export const lostOfAccess = async (deployment: Reached, known: Access): Promise<readonly string[]> => {
  const [api, visit] = [openApi(deployment), openVisit(deployment)];
  const counts = await countsOf(api, known.apiKeyId);
  return [
    ...(counts.every((count) => count === REQUESTS) ? [] : [`of ${REQUESTS} requests ${counts.join(' and ')} count`]),
    ...((await ask(visit, known.key)) === 200 ? [] : ['the API key']),
    ...((await refresh(visit, known.account, known.refreshToken)) === undefined ? ['the refresh token'] : []),
    ...((await signInForRefreshToken(deployment, visit, known.account)) === undefined ? ['the password'] : []),
  ];
};
