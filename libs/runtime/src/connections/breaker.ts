export interface Breaker {
  /** Whether a request may be sent now. After true, exactly one of the next three methods must be called. */
  enter(now: number): boolean;
  mayEnter(now: number): boolean;
  succeeded(): void;
  failed(now: number): void;
  /** Neither outcome: the client disconnected before the service answered. */
  abandoned(): void;
  retryAfterSeconds(now: number): number;
  readonly state: 'closed' | 'open' | 'half-open';
}

interface BreakerOptions {
  /** Consecutive failures that open the breaker. */
  readonly failures?: number;
  /** Milliseconds before a probe, and before the next one if it has no outcome. */
  readonly openMs?: number;
  readonly onChange?: (state: Breaker['state']) => void;
}

/** Makes a breaker. Times are epoch milliseconds. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
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
      // Half-open: one request probes, others are refused; a probe without an outcome blocks them for `openMs` only.
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
      if (state !== 'half-open') return;
      openUntil = 0;
      become('open');
    },
    retryAfterSeconds: (now) => Math.max(1, Math.ceil((openUntil - now) / 1000)),
    get state() {
      return state;
    },
  };
}
