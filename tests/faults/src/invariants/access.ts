import type { KnownGrant } from '../client/users.ts';
import type { Check } from './verdict.ts';

/** grants: a code gives tokens once, a refresh token has one successor, a replay ends both, and a sign-in survives. */
export const checkGrants = (grants: readonly KnownGrant[], check: Check): void => {
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
};

/** The requests with one API key, and what the product has counted of them. */
export interface CountedKey {
  /** When each answered request was answered. Epoch milliseconds. */
  readonly answered: readonly number[];
  /** Requests without a conclusive answer. */
  readonly unknown: number;
  /** When processes of the gateway were killed. Epoch milliseconds. */
  readonly kills: readonly number[];
  /** The requests in the usage, by resolution. */
  readonly counted: Readonly<Record<'minute' | 'hour' | 'day', number>>;
}

/** What a killed gateway may lose. Milliseconds. */
const LOSES_MS = 10_000;
/** Between a gateway's answer and its arrival at the client, and between a kill and its discovery. Milliseconds. */
const MARGIN_MS = 1_000;

/** usage: a request is counted once, in every resolution; a killed gateway loses at most its last ten seconds. */
export const checkUsage = ({ answered, unknown, kills, counted }: CountedKey, check: Check): void => {
  const { minute, hour, day } = counted;
  const agree = minute === hour && hour === day;
  check.that('usage', agree, () => `the usage is ${minute} by minutes, ${hour} by hours, ${day} by days`);
  const isLosable = (at: number) =>
    kills.some((killedAt) => at >= killedAt - LOSES_MS - MARGIN_MS && at <= killedAt + MARGIN_MS);
  const least = answered.filter((at) => !isLosable(at)).length;
  const most = answered.length + unknown;
  const fits = day >= least && day <= most;
  check.that('usage', fits, () => `${day} requests are counted, of ${most} at least ${least} should be`);
};
