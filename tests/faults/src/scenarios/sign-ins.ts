import type { Client } from '@boxoffice/testkit';
import { must, openVisit } from '../client/api.ts';
import { inTurn } from '../client/trade.ts';
import { eraseCustomer, type KnownGrant, openAccount, type SignInAccount, signInAndRefresh } from '../client/users.ts';
import { accessPointNames, type CrashPointName } from '../deployment/crash-points.ts';
import { killAt } from '../deployment/killing.ts';
import { checkGrants } from '../invariants/grants.ts';
import { type CountedKey, checkUsage } from '../invariants/usage.ts';
import { beginRound, type Context, leave, type Round, type Scenario } from '../round/round.ts';

const NAME = 'sign-ins';
const USERS = 3;
/** Between two requests of the page with the API key, and between two erasures. */
const PAUSE_MS = 100;
const LONG_PAUSE_MS = 1_000;
/** A point may be reached seldom: gateways report every five seconds, and erasures wait for a killed broker client. */
const REACH_MS = 90_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The requests of one API key, counted in one resolution. */
const countedBy = async (api: Client, apiKeyId: string, granularity: string, from: string): Promise<number> => {
  const query = new URLSearchParams({ granularity, groupBy: 'apiKey', limit: '500', from });
  const { items } = await must(api, `/svc/v3/usage?${query}`);
  return (items as { readonly apiKeyId: string | null; readonly requests: number }[])
    .filter((item) => item.apiKeyId === apiKeyId)
    .reduce((sum, { requests }) => sum + requests, 0);
};

const playSignIns = async (context: Context, points: readonly CrashPointName[]): Promise<Round> => {
  const { api, deployment, random } = context;
  const round = await beginRound(context, NAME, [{ code: 'FREE', capacity: 1 }]);
  const visit = openVisit(deployment);
  const from = new Date(Date.now() - 60_000).toISOString();
  // A user each: a login that a kill interrupts counts as a wrong password, and ten of one login are too many.
  const accounts: SignInAccount[] = [];
  for (let left = USERS; left > 0; left -= 1) accounts.push(await openAccount(visit, api));
  const body = { name: 'calendar', ratePerMinute: 100_000 };
  const { apiKeyId, key } = await must(api, '/svc/v3/api-keys', { method: 'POST', body });
  const grants: KnownGrant[] = [];
  const erasedUsers: string[] = [];
  const answered: number[] = [];
  const kills: number[] = [];
  let unknown = 0;
  let over = false;
  const enough = () => over;
  const clients = [
    ...accounts.map((account) =>
      inTurn(async () => {
        const grant = await signInAndRefresh(deployment, visit, account);
        if (grant) grants.push(grant);
        else await pause(PAUSE_MS);
      }, enough),
    ),
    inTurn(async () => {
      const call = { headers: { 'x-api-key': key } };
      const reply = await visit('/svc/v3/catalog/products?limit=1', call).catch(() => undefined);
      if (reply?.status === 200) answered.push(Date.now());
      else unknown += 1;
      await pause(PAUSE_MS);
    }, enough),
    inTurn(async () => {
      const userId = await eraseCustomer(api);
      if (userId !== undefined) erasedUsers.push(userId);
      await pause(LONG_PAUSE_MS);
    }, enough),
  ];
  const missed: CrashPointName[] = [];
  const gateways = deployment.runs('gateway');
  const strike = async (point: CrashPointName): Promise<void> => {
    // Those that run now: a process that was killed is followed from its next start on.
    for (const gateway of gateways) void gateway.ended().then(() => kills.push(Date.now()));
    const reached = await killAt(point, random.fork(point).between(1, 2), deployment, round, undefined, REACH_MS);
    if (!reached) missed.push(point);
  };
  try {
    for (const point of points) await strike(point);
  } finally {
    over = true;
    leave(round, clients);
  }
  round.remarks.push(`${grants.length} sign-ins, ${answered.length} requests with a key`);
  round.alsoTrue = async (_evidence, check) => {
    check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
    check.that('round', grants.length > 0, () => 'nobody has signed in');
    checkGrants(grants, check);
    const [minute, hour, day] = [
      await countedBy(api, apiKeyId, 'minute', from),
      await countedBy(api, apiKeyId, 'hour', from),
      await countedBy(api, apiKeyId, 'day', from),
    ];
    const counted: CountedKey = { answered, unknown, kills, counted: { minute, hour, day } };
    checkUsage(counted, check);
    for (const userId of erasedUsers) {
      const { status } = await api(`/svc/v3/users/${userId}`);
      check.that('I2', status === 404, () => `the contact of ${userId} was erased, and the user is answered ${status}`);
    }
  };
  return round;
};

/** A scenario of kills at these steps of signing in, keys and usage. */
export const signInKillsAt = (points: readonly CrashPointName[]): Scenario => ({
  name: NAME,
  about: `users sign in and refresh, a page asks with an API key, SIGKILL at ${points.join(', ')}`,
  play: (context) => playSignIns(context, points),
});

/** Users sign in and refresh, a page asks with an API key, and processes are killed at eight of these steps. */
export const signIns: Scenario = {
  name: NAME,
  about: `users sign in and refresh, a page asks with an API key, SIGKILL at ${accessPointNames.length} named steps`,
  play: (context) => playSignIns(context, context.random.shuffled(accessPointNames).slice(0, 8)),
};
