// The quotas of a client, an address and a session: requests per minute and connections.
import { hash } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { AccessClaims } from '@boxoffice/identity';
import { networkOf } from '@boxoffice/runtime';
import type { Division, Rate } from '../authorization/authorizer-client.ts';
import type { Exchange, Quota, Step } from '../exchange/exchange.ts';
import type { MonthlyQuota } from '../metering/monthly-quota.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { createNewest } from './newest.ts';
import { createSlidingLimiter } from './sliding-limiter.ts';

/** Requests per minute. */
export interface LimitOptions {
  readonly address: number;
  readonly client: number;
  readonly session: number;
}

export interface Limits {
  /** Counts the address before the request is parsed. */
  readonly countAddress: Step;
  /**
   * Counts the caller: in family A the client of the verified token, or the user who is signed in at it, or else the
   * API key; in family B the session, else the address.
   */
  readonly countCaller: Step;
  /**
   * Registers a session that the point-of-sale service has created or accepted. Only registered sessions have their own
   * quota.
   */
  sessionSeen(token: string): void;
  /** What the next report says of clients and API keys whose limits are shared with other gateways. */
  rates(now: number): Rate[];
  /** Applies the answer to a report. */
  divide(division: Division, now: number): void;
}

/** Maximum number of registered sessions; others count on their address. */
const SESSIONS = 100_000;

export const SESSION_HEADER = 'x-auth-token';

const count = (exchange: Exchange, limiter: Limiter, key: string): undefined =>
  admit(exchange, limiter.take(key, exchange.now));

const admit = (exchange: Exchange, quota: Quota): undefined => {
  exchange.quota = quota;
  if (quota.allowed) return;
  throw new Fault('too_many_requests', `The rate limit is used up; try again in ${quota.resetSeconds} s.`, {
    'Retry-After': `${quota.resetSeconds}`,
  });
};

const keyOf = (token: string): string => hash('sha256', token, 'base64url');

/** Each user at a client has a quota of its own, beside the client's. */
const principalIn = ({ client_id, role, sub }: AccessClaims): string =>
  role === undefined ? client_id : `${client_id}/${sub}`;

/** Whose requests in flight are counted together: the client's, its user's, the key's, else those of a network. */
export const callerOf = ({ claims, isPublic, apiKey, address }: Exchange): string => {
  if (claims) return `client ${principalIn(claims)}`;
  return isPublic && apiKey ? `key ${apiKey.apiKeyId}` : `network ${networkOf(address)}`;
};

/**
 * Makes the limits of one gateway process. Those of clients and API keys hold over all gateways (platform, section 9);
 * those of addresses and sessions are each process's own. `report` requests a report before its time.
 */
export const createLimits = (
  perMinute: LimitOptions,
  monthlyQuota: MonthlyQuota,
  report: (isUrgent: boolean) => void,
): Limits => {
  const addresses = createLimiter('address', perMinute.address);
  const clients = createSlidingLimiter('client', report);
  const visitors = createLimiter('session', perMinute.session);
  const apiKeys = createSlidingLimiter('api_key', report);
  const sessions = createNewest<true>(SESSIONS);

  // An invented token must not open a new quota, so only registered sessions count.
  const visitorOf = ({ request, address }: Exchange): string => {
    const token = request.headers[SESSION_HEADER];
    const key = typeof token === 'string' && token !== '' ? keyOf(token) : undefined;
    return key !== undefined && sessions.has(key) ? `session ${key}` : networkOf(address);
  };

  return {
    countAddress: (exchange) => count(exchange, addresses, networkOf(exchange.address)),
    countCaller: (exchange) => {
      if (exchange.family === 'B') return count(exchange, visitors, visitorOf(exchange));
      if (exchange.isPublic && exchange.apiKey) {
        const { apiKey, now } = exchange;
        const refusal = monthlyQuota.refusal(apiKey, now);
        if (refusal) {
          exchange.quota = refusal.quota;
          exchange.keyOutcome = 'quota';
          throw refusal.fault;
        }
        const rate = apiKeys.take(apiKey.apiKeyId, apiKey.ratePerMinute, now);
        if (!rate.allowed) exchange.keyOutcome = 'rate';
        admit(exchange, rate);
        monthlyQuota.admitted(apiKey.apiKeyId);
        exchange.admittedKey = apiKey.apiKeyId;
        return;
      }
      if (exchange.claims)
        return admit(exchange, clients.take(principalIn(exchange.claims), perMinute.client, exchange.now));
    },
    rates: (now) => [...clients.rates(now), ...apiKeys.rates(now)],
    divide(division, now) {
      clients.divide(division, now);
      apiKeys.divide(division, now);
    },
    sessionSeen: (token) => {
      sessions.set(keyOf(token), true);
    },
  };
};
