/** The invariants, as the table and the violations name them. */
export const invariants = {
  I1: 'sold + held + free = capacity, no place is sold twice, no place is held without an order',
  I2: 'no acknowledged write is lost',
  I3: 'each cancellation takes effect exactly once',
  I4: 'facts are neither lost nor invented: tickets follow their orders, outboxes drain',
  I5: 'the dead letters are exactly the injected poison messages',
  I6: 'the same idempotency key gives the same result',
  I7: 'what a point of sale reports of an order stays true: cancelled, bought, bought once',
  I8: 'ready within 10 s, quiet within 30 s',
  round: 'the expectation of the scenario itself',
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
  /** `text` is called only when the claim does not hold. */
  that(invariant: Invariant, holds: boolean, text: () => string): void;
  readonly verdict: Verdict;
}

/** Creates a check without results. */
export const createCheck = (): Check => {
  const violations: Violation[] = [];
  let checked = 0;
  return {
    that(invariant, holds, text) {
      checked += 1;
      if (!holds) violations.push({ invariant, text: text() });
    },
    get verdict() {
      return { checked, violations };
    },
  };
};
