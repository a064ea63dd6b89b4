import { Fault } from '@boxoffice/envelope';
import type { ApiKeyFacts } from '../authorization/authorizer-client.ts';
import type { Policy, Quota } from '../exchange/exchange.ts';
import type { Meter } from './meter.ts';

/** The refusal of a request over a monthly quota. */
interface QuotaRefusal {
  readonly fault: Fault;
  readonly quota: Quota;
}

/** The monthly quotas of API keys, over all gateways. */
export interface MonthlyQuota {
  /** The refusal of one more request with the key at `now` (epoch milliseconds); undefined if the quota allows it. */
  refusal(apiKey: ApiKeyFacts, now: number): QuotaRefusal | undefined;
  /** A request with the key is admitted; until it has ended it counts as in flight. */
  admitted(apiKeyId: string): void;
}

/** The start of the next calendar month, UTC. Epoch milliseconds. */
const nextMonth = (now: number): number => {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

const policyOf = (monthlyQuota: number, seconds: number): Policy => ({
  name: 'api_key_month',
  field: `"api_key_month";q=${monthlyQuota};w=${seconds}`,
});

const DAY_SECONDS = 86_400;

/**
 * Makes the check: what all gateways have reported, and what this one has admitted since. Other gateways' last requests
 * are missing, for as long as they take to report and a key is cached: at most 15 seconds.
 */
export const createMonthlyQuota = (meter: Pick<Meter, 'usedSince' | 'admitted'>): MonthlyQuota => ({
  admitted: meter.admitted,
  refusal({ apiKeyId, monthlyQuota, month, used, reportedUpTo }, now) {
    if (monthlyQuota === null) return undefined;
    const current = new Date(now).toISOString().slice(0, 7);
    const reported = month === current ? used : 0;
    if (reported + meter.usedSince(apiKeyId, reportedUpTo, current) < monthlyQuota) return undefined;
    const end = nextMonth(now);
    const resetSeconds = Math.ceil((end - now) / 1_000);
    const fault = new Fault('api_key_quota_exceeded', 'The requests of this API key are used up until next month.', {
      'Retry-After': `${resetSeconds}`,
    });
    const days = new Date(end - 1).getUTCDate();
    return {
      fault,
      quota: { policy: policyOf(monthlyQuota, days * DAY_SECONDS), allowed: false, left: 0, resetSeconds },
    };
  },
});
