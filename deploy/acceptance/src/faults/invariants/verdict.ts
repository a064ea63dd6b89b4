/** The invariants, as the table and the violations name them. */
export const invariants = {
  I1: 'sold + held + free = capacity, no place is sold twice, none is held by nobody',
  I2: 'no acknowledged write is lost',
  I3: 'each cancellation takes effect exactly once',
  I4: 'no ghost and no missing fact: tickets follow their orders, outboxes drain',
  I5: 'the dead letters are the planted poison and nothing else',
  I6: 'the same idempotency key gives the same result',
  I7: 'what a point of sale says of an order is true and stays so: cancelled, bought, bought once',
  I8: 'ready within 10 s, quiet within 30 s',
  round: 'what the scenario itself promises',
} as const;

export type Invariant = keyof typeof invariants;

/** A violated invariant. */
export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
}

/** The number of checks and the violations found. */
export interface Verdict {
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** Counts checks and collects violations. */
export interface Check {
  /** `told` is called only when the claim does not hold. */
  that(invariant: Invariant, holds: boolean, told: () => string): void;
  readonly verdict: Verdict;
}

/** Creates a check without results. */
export const createCheck = (): Check => {
  const violations: Violation[] = [];
  let checked = 0;
  return {
    that(invariant, holds, told) {
      checked += 1;
      if (!holds) violations.push({ invariant, text: told() });
    },
    get verdict() {
      return { checked, violations };
    },
  };
};
