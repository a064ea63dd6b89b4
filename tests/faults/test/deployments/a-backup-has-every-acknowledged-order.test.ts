import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Client, waitUntil } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { findOrder, type OrderView, openApi, openVisit, requireData } from '../../src/client/api.ts';
import {
  openAccount,
  readCountedRequests,
  refresh,
  type SignInAccount,
  signInForRefreshToken,
} from '../../src/client/users.ts';
import {
  createEmptyDirectory,
  type DataLocation,
  type Deployment,
  startEmbeddedDeployment,
  toSettings,
} from '../../src/deployment/deployment.ts';
import { openConcurrentSale } from '../../src/index.ts';
import type { Entry } from '../../src/round/journal.ts';

const MAIN = new URL('../../../../deploy/operator/src/main.ts', import.meta.url).pathname;

/** Runs `npm run operator -- …` on an installation, as a program of its own. */
const operate = async (data: DataLocation, ...words: readonly string[]) => {
  const env = { PATH: process.env.PATH, ...toSettings(data) };
  const child = spawn('node', ['--conditions=source', MAIN, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [out, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { status, out };
};

type Reached = Pick<Deployment, 'address' | 'partner'>;

/** A user who has signed in, and an API key whose requests are counted. */
interface Access {
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
  const { usedThisMonth } = await requireData(api, `/svc/v3/api-keys/${apiKeyId}`);
  return [await readCountedRequests(api, apiKeyId), usedThisMonth];
};

/** Signs a user in, and asks with an API key until its requests are counted. */
const access = async (deployment: Reached): Promise<Access> => {
  const [api, visit] = [openApi(deployment), openVisit(deployment)];
  const account = await openAccount(visit, api);
  const refreshToken = await signInForRefreshToken(deployment, visit, account);
  if (refreshToken === undefined) throw new Error('the user was not signed in');
  const { apiKeyId, key } = await requireData(api, '/svc/v3/api-keys', { method: 'POST', body: { name: 'calendar' } });
  for (let request = 0; request < REQUESTS; request += 1) {
    const status = await ask(visit, key);
    if (status !== 200) throw new Error(`a public request was answered ${status}`);
  }
  const isCounted = async () => (await countsOf(api, apiKeyId)).every((count) => count === REQUESTS);
  await waitUntil(isCounted, { what: 'the counted requests', withinMs: VISIBLE_MS });
  return { account, refreshToken, apiKeyId, key };
};

/** What an installation lacks of it. */
const lostOfAccess = async (deployment: Reached, known: Access): Promise<readonly string[]> => {
  const [api, visit] = [openApi(deployment), openVisit(deployment)];
  const counts = await countsOf(api, known.apiKeyId);
  return [
    ...(counts.every((count) => count === REQUESTS) ? [] : [`of ${REQUESTS} requests ${counts.join(' and ')} count`]),
    ...((await ask(visit, known.key)) === 200 ? [] : ['the API key']),
    ...((await refresh(visit, known.account, known.refreshToken)) === undefined ? ['the refresh token'] : []),
    ...((await signInForRefreshToken(deployment, visit, known.account)) === undefined ? ['the password'] : []),
  ];
};

/** The orders that clients know to exist: their creation was answered with success. */
const ordersKnown = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ action, outcome, answer }) =>
    action === 'create' && outcome === 'ok' ? [(answer as { readonly id: string }).id] : [],
  );

/** The fault of an order, given the earlier responses to its client. */
const lost = (order: OrderView | undefined, reported: readonly Entry[]): string | undefined => {
  if (!order) return 'is gone';
  const done = (action: Entry['action']) => reported.some((entry) => entry.action === action && entry.outcome === 'ok');
  if (done('cancel') && order.state !== 'cancelled') return `is ${order.state}, and was cancelled`;
  if (done('confirm') && order.confirmedAt === null) return `is ${order.state}, and was confirmed`;
  return undefined;
};

test('an installation restored from a backup during a sale is consistent and has every acknowledged order, user, sign-in and count', async () => {
  const deployment = await startEmbeddedDeployment();
  const data = await createEmptyDirectory();
  const backup = `${data.directory}-backup`;
  try {
    const known = await access(deployment);
    const selling = await openConcurrentSale(deployment, { reference: 'sale', buyers: 16, capacity: 400 });
    await waitUntil(() => ordersKnown(selling.entries).length >= 80, { what: 'orders', withinMs: 240_000 });
    const before = [...selling.entries];
    const taken = JSON.parse((await operate(deployment.data, 'backup', backup, '--json')).out);
    expect(ordersKnown(selling.entries).length).toBeGreaterThan(ordersKnown(before).length);
    await selling.end();
    expect(taken.writersPausedMs).toBeGreaterThan(0);
    expect((await operate(data, 'restore', backup)).status).toBe(0);
    const restored = await startEmbeddedDeployment([], { ...deployment, data });
    try {
      const api = openApi(restored);
      for (const id of ordersKnown(before)) {
        const reported = before.filter((entry) => entry.subject === id);
        expect([id, lost(await findOrder(api, id), reported)]).toEqual([id, undefined]);
      }
      expect(await lostOfAccess(restored, known)).toEqual([]);
      const { out } = await operate(data, 'check');
      expect(out).toMatch(/clean: no invariant is violated\n$/);
    } finally {
      await restored.close();
    }
  } finally {
    await deployment.close();
    for (const directory of [data.directory, backup])
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
