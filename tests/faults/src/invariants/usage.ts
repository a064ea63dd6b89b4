import type { Check } from './verdict.ts';

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

/** I10: a request is counted once, in every resolution; a killed gateway loses at most its last ten seconds. */
export const checkUsage = ({ answered, unknown, kills, counted }: CountedKey, check: Check): void => {
  const { minute, hour, day } = counted;
  const agree = minute === hour && hour === day;
  check.that('I10', agree, () => `the usage is ${minute} by minutes, ${hour} by hours, ${day} by days`);
  const isLosable = (at: number) =>
    kills.some((killedAt) => at >= killedAt - LOSES_MS - MARGIN_MS && at <= killedAt + MARGIN_MS);
  const least = answered.filter((at) => !isLosable(at)).length;
  const most = answered.length + unknown;
  const fits = day >= least && day <= most;
  check.that('I10', fits, () => `${day} requests are counted, of ${most} at least ${least} should be`);
};
