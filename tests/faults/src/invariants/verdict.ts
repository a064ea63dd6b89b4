/** The invariants, as the violations name them; docs/reliability.md has the same text. */
export const invariants = {
  I1: 'free + held + sold = capacity, and a place that is not free is of one order, or of a dead request until its hold ends',
  I2: 'everything that was acknowledged to a client is there, and nothing that was not requested',
  I3: 'every cancelled order is settled with the right numbers, and was cancelled by one request',
  I4: 'each line of a confirmed order has one live ticket, no ticket is without an order, and outboxes drain',
  I5: 'only messages that no consumer can read become dead letters',
  I6: 'an idempotency key has one effect, and a repeat gets the same answer',
  I7: 'what a 500 of a checkout reports of the order is true and stays true, and a bought order stays bought',
  I8: 'a killed process is ready again within 10 s, and every invariant holds within 30 s of the end of the load',
  I9: 'a code gives tokens once, a refresh token has one successor, a replay ends both, and a sign-in survives',
  I10: 'a request is counted once, in every resolution, and a killed gateway loses at most its last ten seconds',
  I11: 'every change has one event, without gaps and in order, and a webhook delivers each, those of a resource in order',
  round: 'what the scenario itself expects, such as that every place was sold',
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
