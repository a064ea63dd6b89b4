import { LRUCache } from 'lru-cache';
import type { Policy, Quota } from '../exchange/quota.ts';
import { policyOf } from './limiter.ts';

/** Counts requests per key in the minute before each request. */
export interface SlidingLimiter {
  /** Counts one request at `now` (epoch milliseconds), unless `perMinute` are counted. */
  take(key: string, perMinute: number, now: number): Quota;
}

/** Counted requests by second; a slot is reused after SLOTS seconds. */
interface Recent {
  readonly counts: Uint32Array;
  /** The second of the last request. */
  last: number;
  total: number;
  perMinute: number;
  policy: Policy;
}

/** One more than the seconds of a minute, since the first and the last second of a minute are partial. */
const SLOTS = 61;

/** Maximum number of keys; the least recently used are evicted and start anew. */
const KEYS = 100_000;

/** Makes a limiter; `name` is the policy's name. Refused requests do not count. */
export const createSlidingLimiter = (name: string): SlidingLimiter => {
  const keys = new LRUCache<string, Recent>({ max: KEYS });

  /** Forgets the seconds that are more than a minute ago. */
  const advance = (recent: Recent, second: number): void => {
    const steps = Math.min(SLOTS, second - recent.last);
    for (let step = 1; step <= steps; step += 1) {
      const slot = (recent.last + step) % SLOTS;
      recent.total -= recent.counts[slot] ?? 0;
      recent.counts[slot] = 0;
    }
    recent.last = Math.max(recent.last, second);
  };

  /** Seconds until the oldest counted second is more than a minute ago. */
  const secondsUntilFree = ({ counts, last }: Recent): number => {
    for (let age = SLOTS - 1; age > 0; age -= 1) {
      if ((counts[(last - age + SLOTS) % SLOTS] ?? 0) > 0) return SLOTS - age;
    }
    return SLOTS;
  };

  return {
    take(key, perMinute, now) {
      const second = Math.floor(now / 1_000);
      const recent = keys.get(key) ?? {
        counts: new Uint32Array(SLOTS),
        last: second,
        total: 0,
        perMinute,
        policy: policyOf(name, perMinute),
      };
      keys.set(key, recent);
      advance(recent, second);
      if (recent.perMinute !== perMinute) Object.assign(recent, { perMinute, policy: policyOf(name, perMinute) });
      const allowed = recent.total < perMinute;
      if (allowed) {
        recent.total += 1;
        const slot = recent.last % SLOTS;
        recent.counts[slot] = (recent.counts[slot] ?? 0) + 1;
      }
      return {
        policy: recent.policy,
        allowed,
        left: Math.max(0, perMinute - recent.total),
        resetSeconds: secondsUntilFree(recent),
      };
    },
  };
};
