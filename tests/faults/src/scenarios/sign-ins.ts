import type { Client } from '@boxoffice/testkit';
import { must, openVisit } from '../client/api.ts';
import { inTurn } from '../client/trade.ts';
import { eraseCustomer, type KnownGrant, openAccount, type SignInAccount, signInAndRefresh } from '../client/users.ts';
import { pointsIn } from '../deployment/crash-points.ts';
import { killAt } from '../deployment/killing.ts';
import { checkGrants, checkUsage } from '../invariants/access.ts';
import { beginRound, type Scenario } from '../round/round.ts';
import { during } from '../round/traffic.ts';
import { mustBeReached, pointsOf, roundsOf } from './kills.ts';

const USERS = 3;
/** Between two requests of the page with the API key, and between two erasures. */
const PAUSE_MS = 100;
const LONG_PAUSE_MS = 1_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The requests of one API key, counted in one resolution. */
const countedBy = async (api: Client, apiKeyId: string, granularity: string, from: string): Promise<number> => {
  const query = new URLSearchParams({ granularity, groupBy: 'apiKey', limit: '500', from });
  const { items }: { items: { apiKeyId: string | null; requests: number }[] } = await must(
    api,
    `/svc/v3/usage?${query}`,
  );
  const own = items.filter((item) => item.apiKeyId === apiKeyId);
  return own.reduce((sum, { requests }) => sum + requests, 0);
};

const points = pointsIn('access');

/** Users sign in and refresh, a page asks with an API key, and processes are killed at eight of these steps. */
export const signIns: Scenario = {
  name: 'sign-ins',
  about:
    'users sign in, refresh and show a used token again, a page asks with an API key, contacts with users are erased; SIGKILL at eight steps a round',
  rounds: roundsOf(points),
  async play(context) {
    const { api, deployment, random } = context;
    const round = await beginRound(context, [{ code: 'FREE', capacity: 1 }]);
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
    const clients = (enough: () => boolean) => [
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
    const missed: string[] = [];
    await during(round, clients, async () => {
      for (const point of pointsOf(context, points)) {
        // Those that run now: a process that was killed is followed from its next start on.
        for (const gateway of deployment.runs('gateway')) void gateway.ended().then(() => kills.push(Date.now()));
        if (!(await killAt(context, round, point, random.fork(point).between(1, 2)))) missed.push(point);
      }
    });
    round.alsoTrue = async (_evidence, check) => {
      mustBeReached(missed, check);
      check.that('round', grants.length > 0, () => 'no user has signed in');
      checkGrants(grants, check);
      const [minute, hour, day] = [
        await countedBy(api, apiKeyId, 'minute', from),
        await countedBy(api, apiKeyId, 'hour', from),
        await countedBy(api, apiKeyId, 'day', from),
      ];
      checkUsage({ answered, unknown, kills, counted: { minute, hour, day } }, check);
      for (const userId of erasedUsers) {
        const { status } = await api(`/svc/v3/users/${userId}`);
        check.that('acknowledged', status === 404, () => `${userId} is ${status}, its contact was erased`);
      }
    };
    return round;
  },
};
