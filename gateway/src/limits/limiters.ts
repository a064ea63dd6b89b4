import type { Division, Rate } from '../authorization/authorizer-client.ts';
import type { Policy, Quota } from '../exchange/exchange.ts';
import { createNewest } from './newest.ts';

export type Limiter = ReturnType<typeof createLimiter>;

interface Window {
  endsAt: number;
  used: number;
}

const MINUTE_MS = 60_000;

/** The least recently used keys are evicted and start at zero. */
const KEYS = 100_000;

/** Windows last a minute and begin with the key's first request. `name` is the policy's, for instance `client`. */
export function createLimiter(name: string, perMinute: number) {
  const windows = createNewest<Window>(KEYS);
  const policy = buildPolicy(name, perMinute);
  return {
    take(key: string, now: number): Quota {
      let window = windows.get(key);
      if (!window || window.endsAt <= now) {
        window = { endsAt: now + MINUTE_MS, used: 0 };
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
}

export function buildPolicy(name: string, most: number, seconds = 60): Policy {
  return { name, field: `"${name}";q=${most};w=${seconds}` };
}

export type SlidingLimiter = ReturnType<typeof createSlidingLimiter>;

/** Requests of so many milliseconds are counted, and are free, together. */
const SLOT_MS = 500;

const SLOTS = MINUTE_MS / SLOT_MS + 1;

/** Milliseconds without an answer after which a request causes a report; regular reports are sooner. */
const SILENT_MS = 6_000;

/** Milliseconds for which a share holds without another answer; then an equal one. */
const SHARE_MS = 15_000;

/** The part of a limit that all other gateways grant beyond their shares: below five per cent (platform, 9). */
const UNSHARED = 0.04;

/** Milliseconds, at least, from which the refusals of a minute are estimated. */
const LEAST_INTERVAL_MS = 1_000;

interface Recent {
  readonly counts: Uint32Array;
  /** The last request of each slot, in milliseconds after the slot's begin. */
  readonly lasts: Uint16Array;
  /** Slots before it have no request. */
  oldest: number;
  newest: number;
  total: number;
  /** Refusals since an instant, from which those of a minute are estimated. */
  refused: number;
  since: number;
  refusedPerMinute: number;
  perMinute: number;
  policy: Policy;
  /** When this gateway's share was granted; absent: none was. */
  share?: { readonly perMinute: number; readonly at: number } | undefined;
}

/**
 * In the minute before each request. One gateway grants the whole limit; of several each grants its share. Refused
 * requests do not count. `report` is called when a key needs a share, or a larger one, perhaps with every request.
 */
export function createSlidingLimiter(name: string, report: (isUrgent: boolean) => void) {
  const keys = createNewest<Recent>(KEYS);
  let gateways = 1;
  let dividedAt = Number.NEGATIVE_INFINITY;

  const freeAt = ({ lasts, oldest }: Recent): number => oldest * SLOT_MS + (lasts[oldest % SLOTS] ?? 0) + MINUTE_MS;

  /** Forgets what is a minute ago; `oldest` is then the first slot with requests, or the present one. */
  const advance = (recent: Recent, slot: number, now: number): void => {
    const { counts } = recent;
    // A clock that was set back by more than a minute begins anew.
    if (Math.abs(slot - recent.newest) >= SLOTS) {
      counts.fill(0);
      Object.assign(recent, { oldest: slot, newest: slot, total: 0 });
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

  const computeUnsharedRate = (perMinute: number): number => (UNSHARED * perMinute) / Math.max(1, gateways - 1);

  const grantedAt = ({ share }: Recent, perMinute: number, now: number): number => {
    // Also where no other gateway is left: what a stopped one has admitted counts for a minute.
    if (share && now - share.at < SHARE_MS)
      return Math.max(share.perMinute, Math.floor(computeUnsharedRate(perMinute)));
    return Math.max(1, Math.floor(perMinute / gateways));
  };

  const estimateRefused = (recent: Recent, now: number): void => {
    const { refused, since } = recent;
    if (now - since < LEAST_INTERVAL_MS) return;
    const refusedPerMinute = Math.ceil((refused * MINUTE_MS) / (now - since));
    Object.assign(recent, { refusedPerMinute, refused: 0, since: now });
  };

  const requestShare = ({ share, total, perMinute }: Recent, isAllowed: boolean, now: number): void => {
    if (now - dividedAt > SILENT_MS) report(false);
    if (gateways === 1) return;
    if (!share && total >= computeUnsharedRate(perMinute) / 2) report(true);
    else if (!isAllowed) report(false);
  };

  return {
    /** Counts unless the limit, or this gateway's share, is used. `now` is in epoch milliseconds. */
    take(key: string, perMinute: number, now: number): Quota {
      const slot = Math.floor(now / SLOT_MS);
      const recent: Recent = keys.get(key) ?? {
        counts: new Uint32Array(SLOTS),
        lasts: new Uint16Array(SLOTS),
        oldest: slot,
        newest: slot,
        total: 0,
        refused: 0,
        since: now,
        refusedPerMinute: 0,
        perMinute,
        policy: buildPolicy(name, perMinute),
      };
      keys.set(key, recent);
      advance(recent, slot, now);
      if (recent.perMinute !== perMinute) Object.assign(recent, { perMinute, policy: buildPolicy(name, perMinute) });
      const granted = grantedAt(recent, perMinute, now);
      const allowed = recent.total < granted;
      if (allowed) record(recent, now);
      else recent.refused += 1;
      requestShare(recent, allowed, now);
      const seconds = Math.ceil((freeAt(recent) - now) / 1_000);
      return {
        policy: recent.policy,
        allowed,
        left: Math.max(0, granted - recent.total),
        resetSeconds: Math.max(1, Math.min(MINUTE_MS / 1_000, seconds)),
      };
    },
    /** Reports keys that are used more than a little here. */
    rates(now: number): Rate[] {
      const slot = Math.floor(now / SLOT_MS);
      const rates: Rate[] = [];
      for (const [key, recent] of keys.entries()) {
        const { perMinute, share } = recent;
        // Most callers are far below their limits.
        if (!share && recent.total < computeUnsharedRate(perMinute) / 2) continue;
        advance(recent, slot, now);
        estimateRefused(recent, now);
        const { total: used, refusedPerMinute } = recent;
        if (!share && used < computeUnsharedRate(perMinute) / 2) continue;
        rates.push({ caller: `${name} ${key}`, perMinute, used, wanted: Math.min(perMinute, used + refusedPerMinute) });
      }
      return rates;
    },
    divide({ gateways: present, shares }: Division, now: number): void {
      gateways = Math.max(1, present);
      dividedAt = now;
      const prefix = `${name} `;
      for (const [caller, perMinute] of Object.entries(shares)) {
        const recent = caller.startsWith(prefix) ? keys.peek(caller.slice(prefix.length)) : undefined;
        if (!recent) continue;
        // A key that is not used any more was reported once more, so that others get its share.
        const isOver = recent.total === 0 && recent.refusedPerMinute === 0;
        recent.share = isOver ? undefined : { perMinute, at: now };
      }
    },
  };
}
