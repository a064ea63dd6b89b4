import { hash } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { toNetwork } from '@boxoffice/runtime';
import type { ApiKeyFacts, Division, Rate } from '../authorization/authorizer-client.ts';
import type { Exchange, Quota } from '../exchange/exchange.ts';
import type { Meter } from '../telemetry/meter.ts';
import { SESSION_HEADER, toPrincipal } from './callers.ts';
import { buildPolicy, createLimiter, createSlidingLimiter, type Limiter } from './limiters.ts';
import { createNewest } from './newest.ts';

const DAY_SECONDS = 86_400;

/** Requests per minute. */
export interface LimitOptions {
  readonly address: number;
  readonly client: number;
  readonly session: number;
}

export type Limits = ReturnType<typeof createLimits>;

const SESSIONS = 100_000;

/** Milliseconds: as long as a session lives by default without a request. */
const REGISTERED_MS = 1_800_000;

/**
 * Those of clients and API keys hold over all gateways (platform, section 9), those of addresses and sessions in each
 * process. `report` requests a report before its time.
 */
export function createLimits(
  perMinute: LimitOptions,
  meter: Pick<Meter, 'usedSince' | 'startRequest'>,
  report: (isUrgent: boolean) => void,
) {
  const addresses = createLimiter('address', perMinute.address);
  const clients = createSlidingLimiter('client', report);
  const visitors = createLimiter('session', perMinute.session);
  const apiKeys = createSlidingLimiter('api_key', report);
  const sessions = createNewest<number>(SESSIONS);

  // An invented token must not open a new quota, so only registered sessions count.
  const identifyVisitor = ({ request, address, now }: Exchange): string => {
    const token = request.headers[SESSION_HEADER];
    const key = typeof token === 'string' && token !== '' ? toKey(token) : undefined;
    return key !== undefined && (sessions.get(key) ?? 0) > now ? `session ${key}` : toNetwork(address);
  };

  return {
    /** Called before the request is parsed. @throws {Fault} too_many_requests */
    countAddress: (exchange: Exchange): undefined => count(exchange, addresses, toNetwork(exchange.address)),
    /**
     * In family A the client of the verified token, or the user who is signed in at it, or else the API key; in family
     * B the session, else the address. @throws {Fault} too_many_requests, api_key_quota_exceeded
     */
    countCaller: (exchange: Exchange): undefined => {
      if (exchange.family === 'B') return count(exchange, visitors, identifyVisitor(exchange));
      if (exchange.isPublic && exchange.apiKey) {
        const { apiKey, now } = exchange;
        const refusal = refuseByQuota(meter, apiKey, now);
        if (refusal) {
          exchange.quota = refusal.quota;
          exchange.keyOutcome = 'quota';
          throw refusal.fault;
        }
        const rate = apiKeys.take(apiKey.apiKeyId, apiKey.ratePerMinute, now);
        if (!rate.allowed) exchange.keyOutcome = 'rate';
        admit(exchange, rate);
        meter.startRequest(apiKey.apiKeyId);
        exchange.admittedKey = apiKey.apiKeyId;
        return;
      }
      if (exchange.claims)
        return admit(exchange, clients.take(toPrincipal(exchange.claims), perMinute.client, exchange.now));
    },
    /** Reports clients and API keys whose limits are shared with other gateways. */
    rates: (now: number): Rate[] => [...clients.rates(now), ...apiKeys.rates(now)],
    divide(division: Division, now: number): void {
      clients.divide(division, now);
      apiKeys.divide(division, now);
    },
    /** Gives a session a quota of its own, once its service has verified it. `now` is in epoch milliseconds. */
    sessionSeen: (token: string, now: number): void => {
      sessions.set(toKey(token), now + REGISTERED_MS);
    },
  };
}

const toKey = (token: string): string => hash('sha256', token, 'base64url');

const count = (exchange: Exchange, limiter: Limiter, key: string): undefined =>
  admit(exchange, limiter.take(key, exchange.now));

const admit = (exchange: Exchange, quota: Quota): undefined => {
  exchange.quota = quota;
  if (quota.allowed) return;
  throw new Fault('too_many_requests', `The rate limit is used up; try again in ${quota.resetSeconds} s.`, {
    'Retry-After': `${quota.resetSeconds}`,
  });
};

/**
 * Undefined if the monthly quota over all gateways allows one more request: what all have reported, and what this one
 * has admitted since. Other gateways' last requests are missing, for at most 15 seconds. `now` is in epoch
 * milliseconds.
 */
const refuseByQuota = (meter: Pick<Meter, 'usedSince'>, apiKey: ApiKeyFacts, now: number) => {
  const { apiKeyId, monthlyQuota, month, used, reportedUpTo } = apiKey;
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
    quota: {
      policy: buildPolicy('api_key_month', monthlyQuota, days * DAY_SECONDS),
      allowed: false,
      left: 0,
      resetSeconds,
    },
  };
};

/** UTC; epoch milliseconds. */
const nextMonth = (now: number): number => {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};
