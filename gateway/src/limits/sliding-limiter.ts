import type { Policy, Quota } from '../exchange/exchange.ts';
import { policyOf } from './limiter.ts';
import { createNewest } from './newest.ts';

/** Counts requests per key in the minute before each request. */
interface SlidingLimiter {
  /** Counts one request at `now` (epoch milliseconds), unless `perMinute` are counted. */
  take(key: string, perMinute: number, now: number): Quota;
}

const MINUTE_MS = 60_000;

/** Requests of so many milliseconds are counted together, and are free together: when the last of them is a minute ago. */
const SLOT_MS = 500;

/** Those that a minute touches, when it begins and ends within one. */
const SLOTS = MINUTE_MS / SLOT_MS + 1;

/** Maximum number of keys; the least recently used are evicted and start at zero. */
const KEYS = 100_000;

/** The counted requests of a key: a ring of slots, which are numbered from the epoch. */
interface Recent {
  readonly counts: Uint32Array;
  /** The last request of each slot, in milliseconds after the slot's begin. */
  readonly lasts: Uint16Array;
  /** No slot before this one has a request. */
  oldest: number;
  newest: number;
  total: number;
  perMinute: number;
  policy: Policy;
}

/** Makes a limiter; `name` is the policy's name. Refused requests do not count. */
export const createSlidingLimiter = (name: string): SlidingLimiter => {
  const keys = createNewest<Recent>(KEYS);

  const freeAt = ({ lasts, oldest }: Recent): number => oldest * SLOT_MS + (lasts[oldest % SLOTS] ?? 0) + MINUTE_MS;

  /** Forgets what is a minute ago; `oldest` is the first slot with requests then, or the present one. */
  const advance = (recent: Recent, slot: number, now: number): void => {
    const { counts } = recent;
    if (slot - recent.newest >= SLOTS) {
      counts.fill(0);
      Object.assign(recent, { oldest: slot, total: 0 });
    }
    recent.newest = Math.max(recent.newest, slot);
    while (recent.oldest < recent.newest) {
      const index = recent.oldest % SLOTS;
      const count = counts[index] ?? 0;
      if (count > 0 && freeAt(recent) > now) break;
      recent.total -= count;
      counts[index] = 0;
      recent.oldest += 1;
    }
  };

  const record = (recent: Recent, now: number): void => {
    const index = recent.newest % SLOTS;
    recent.total += 1;
    recent.counts[index] = (recent.counts[index] ?? 0) + 1;
    // A clock that was set back counts with the newest slot.
    recent.lasts[index] = Math.max(0, Math.min(SLOT_MS - 1, now - recent.newest * SLOT_MS));
  };

  return {
    take(key, perMinute, now) {
      const slot = Math.floor(now / SLOT_MS);
      const recent = keys.get(key) ?? {
        counts: new Uint32Array(SLOTS),
        lasts: new Uint16Array(SLOTS),
        oldest: slot,
        newest: slot,
        total: 0,
        perMinute,
        policy: policyOf(name, perMinute),
      };
      keys.set(key, recent);
      advance(recent, slot, now);
      if (recent.perMinute !== perMinute) Object.assign(recent, { perMinute, policy: policyOf(name, perMinute) });
      const allowed = recent.total < perMinute;
      if (allowed) record(recent, now);
      const seconds = Math.ceil((freeAt(recent) - now) / 1_000);
      return {
        policy: recent.policy,
        allowed,
        left: Math.max(0, perMinute - recent.total),
        resetSeconds: Math.max(1, Math.min(MINUTE_MS / 1_000, seconds)),
      };
    },
  };
};
