import type { Policy, Quota } from '../exchange/exchange.ts';
import { createNewest } from './newest.ts';

/** Counts requests per key in one-minute windows that begin with the key's first request. */
export interface Limiter {
  /** Counts one request at `now` (epoch milliseconds). */
  take(key: string, now: number): Quota;
}

interface Window {
  endsAt: number;
  used: number;
}

const WINDOW_MS = 60_000;

/** Maximum number of keys; the least recently used are evicted and start a new window. */
const KEYS = 100_000;

/** The policy of a limit per minute. */
export const policyOf = (name: string, perMinute: number): Policy => ({ name, field: `"${name}";q=${perMinute};w=60` });

/** Makes a limiter; `name` is the policy's name, for instance `client`. */
export const createLimiter = (name: string, perMinute: number): Limiter => {
  const windows = createNewest<Window>(KEYS);
  const policy = policyOf(name, perMinute);
  return {
    take(key, now) {
      let window = windows.get(key);
      if (!window || window.endsAt <= now) {
        window = { endsAt: now + WINDOW_MS, used: 0 };
        windows.set(key, window);
      }
      window.used += 1;
      return {
        policy,
        allowed: window.used <= perMinute,
        left: Math.max(0, perMinute - window.used),
        resetSeconds: Math.ceil((window.endsAt - now) / 1000),
      };
    },
  };
};
