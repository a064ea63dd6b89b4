/** Keeps requests from one address of an upstream that fails, and finds out when it is back. */
export interface Breaker {
  /** Whether a request may go now. After a yes, exactly one of the next three must be told. */
  enter(now: number): boolean;
  /** Whether `enter` would say yes. */
  mayEnter(now: number): boolean;
  succeeded(): void;
  failed(now: number): void;
  /** Neither: the client went away before the upstream could show itself. */
  abandoned(): void;
  /** Whole seconds after which it is worth trying again, at least 1. */
  retryAfterSeconds(now: number): number;
  readonly state: 'closed' | 'open' | 'half-open';
}

export interface BreakerOptions {
  /** Consecutive failures that open it. */
  readonly failures?: number;
  /** How long it stays open before one request may probe, and then before another one may, if the first says nothing. */
  readonly openMs?: number;
  readonly onChange?: (state: Breaker['state']) => void;
}

/** Makes a breaker for one upstream. Times are epoch milliseconds. */
export const createBreaker = (options: BreakerOptions = {}): Breaker => {
  const { failures = 5, openMs = 2_000, onChange } = options;
  let state: Breaker['state'] = 'closed';
  let inARow = 0;
  let openUntil = 0;

  const become = (next: Breaker['state']): void => {
    if (next === state) return;
    state = next;
    onChange?.(next);
  };

  return {
    mayEnter: (now) => state === 'closed' || now >= openUntil,
    enter(now) {
      if (state === 'closed') return true;
      // Half-open, one request is under way to see; the others wait for its outcome, but not for a client that sends it slowly.
      if (now < openUntil) return false;
      openUntil = now + openMs;
      become('half-open');
      return true;
    },
    succeeded() {
      inARow = 0;
      become('closed');
    },
    failed(now) {
      inARow += 1;
      if (state === 'closed' && inARow < failures) return;
      openUntil = now + openMs;
      become('open');
    },
    abandoned() {
      // The probe told nothing: the next request probes.
      if (state !== 'half-open') return;
      openUntil = 0;
      become('open');
    },
    retryAfterSeconds: (now) => Math.max(1, Math.ceil((openUntil - now) / 1000)),
    get state() {
      return state;
    },
  };
};
