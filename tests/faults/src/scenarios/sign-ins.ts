import { setTimeout as pause } from 'node:timers/promises';
import { openVisit, requireData } from '../client/api.ts';
import {
  eraseCustomer,
  type KnownGrant,
  openAccount,
  readCountedRequests,
  type SignInAccount,
  signInAndRefresh,
} from '../client/users.ts';
import { listPoints } from '../deployment/crash-points.ts';
import type { Check } from '../invariants/verdict.ts';
import { beginRound, type Scenario } from '../round/round.ts';
import { repeatUntilEnough, runWithClients } from '../round/traffic.ts';
import { choosePoints, countRounds, killAt, requireReached } from './kills.ts';

/** grants: a code gives tokens once, a refresh token has one successor, a replay ends both, and a sign-in survives. */
export function checkGrants(grants: readonly KnownGrant[], check: Check): void {
  for (const { code, tokens, givenAfterEnd, signedIn } of grants) {
    check.that('grants', code.given <= 1, () => `a code gave tokens ${code.given} times`);
    const isLost = code.given === 0 && code.unknown === 0;
    check.that('grants', !isLost, () => 'a code was refused at its first use');
    for (const [index, token] of tokens.entries()) {
      const many = token.successors.size;
      check.that('grants', many <= 1, () => `refresh token ${index + 1} of a chain has ${many} successors`);
      const isRefused = token.given === 0 && token.unknown === 0;
      check.that('grants', !isRefused, () => `refresh token ${index + 1} of a chain was refused at its first use`);
    }
    check.that('grants', givenAfterEnd === 0, () => 'a grant gave tokens after a used refresh token was shown again');
    check.that('grants', signedIn !== false, () => 'a user was asked to sign in again, a moment after signing in');
  }
}

export interface CountedKey {
  /** When each answered request was answered. Epoch milliseconds. */
  readonly answered: readonly number[];
  /** Requests without a conclusive answer. */
  readonly unknown: number;
  /** When processes of the gateway were killed. Epoch milliseconds. */
  readonly kills: readonly number[];
  readonly counted: number;
}

/** What a killed gateway may lose. Milliseconds. */
const LOSES_MS = 10_000;
/** Between a gateway's answer and its arrival at the client, and between a kill and its discovery. Milliseconds. */
const MARGIN_MS = 1_000;

/** usage: a request is counted once; a killed gateway loses at most its last ten seconds. */
export function checkUsage({ answered, unknown, kills, counted }: CountedKey, check: Check): void {
  const isLosable = (at: number) =>
    kills.some((killedAt) => at >= killedAt - LOSES_MS - MARGIN_MS && at <= killedAt + MARGIN_MS);
  const least = answered.filter((at) => !isLosable(at)).length;
  const most = answered.length + unknown;
  const fits = counted >= least && counted <= most;
  check.that('usage', fits, () => `${counted} requests are counted, of ${most} at least ${least} should be`);
}

const USERS = 3;
/** Between two requests of the page with the API key, and between two erasures. */
const PAUSE_MS = 100;
const LONG_PAUSE_MS = 1_000;

const points = listPoints('access');

export const signIns: Scenario = {
  name: 'sign-ins',
  about:
    'users sign in, refresh and show a used token again, a page asks with an API key, contacts with users are erased; SIGKILL at eight steps a round',
  rounds: countRounds(points),
  async play(context) {
    const { api, deployment, random } = context;
    const round = await beginRound(context, [{ code: 'FREE', capacity: 1 }]);
    const visit = openVisit(deployment);
    // A user each: a login that a kill interrupts counts as a wrong password, and ten of one login are too many.
    const accounts: SignInAccount[] = [];
    for (let left = USERS; left > 0; left -= 1) accounts.push(await openAccount(visit, api));
    const body = { name: 'calendar', ratePerMinute: 100_000 };
    const { apiKeyId, key } = await requireData(api, '/svc/v3/api-keys', { method: 'POST', body });
    const grants: KnownGrant[] = [];
    const erasedUsers: string[] = [];
    const answered: number[] = [];
    const kills: number[] = [];
    let unknown = 0;
    const clients = (enough: () => boolean) => [
      ...accounts.map((account) =>
        repeatUntilEnough(async () => {
          const grant = await signInAndRefresh(deployment, visit, account);
          if (grant) grants.push(grant);
          else await pause(PAUSE_MS);
        }, enough),
      ),
      repeatUntilEnough(async () => {
        const call = { headers: { 'x-api-key': key } };
        const reply = await visit('/svc/v3/catalog/products?limit=1', call).catch(() => undefined);
        if (reply?.status === 200) answered.push(Date.now());
        else unknown += 1;
        await pause(PAUSE_MS);
      }, enough),
      repeatUntilEnough(async () => {
        const userId = await eraseCustomer(api);
        if (userId !== undefined) erasedUsers.push(userId);
        await pause(LONG_PAUSE_MS);
      }, enough),
    ];
    const missed: string[] = [];
    await runWithClients(round, clients, async () => {
      for (const point of choosePoints(context, points)) {
        // Those that run now: a process that was killed is followed from its next start on.
        for (const gateway of deployment.runs('gateway')) void gateway.ended().then(() => kills.push(Date.now()));
        if (!(await killAt(context, round, point, random.fork(point).between(1, 2)))) missed.push(point);
      }
    });
    round.alsoTrue = async (_evidence, check) => {
      requireReached(missed, check);
      check.that('round', grants.length > 0, () => 'no user has signed in');
      checkGrants(grants, check);
      checkUsage({ answered, unknown, kills, counted: await readCountedRequests(api, apiKeyId) }, check);
      for (const userId of erasedUsers) {
        const { status } = await api(`/svc/v3/users/${userId}`);
        check.that('acknowledged', status === 404, () => `${userId} is ${status}, its contact was erased`);
      }
    };
    return round;
  },
};
