// Invariants: the comparison of the answers to clients with a quiet product. What is stored is
// judged by the operator's check.

import type { Received } from '../client/feed.ts';
import type { Checkout, Entry } from '../round/journal.ts';
import type { ObservedState } from '../round/stage.ts';

/** The invariants, as the violations name them; docs/reliability.md has the same text. */
export const invariants = {
  stored: '`operator check` finds nothing wrong in what is stored, and no work that never ends',
  acknowledged: 'everything that was acknowledged to a client is there, and nothing that was not requested',
  keys: 'an idempotency key has one effect, and a repeat gets the same answer',
  checkouts: 'what a 500 of a checkout reports of the order is true and stays true, and a bought order stays bought',
  events: 'a partner reads every change of its orders and tickets, and its webhook gets them, in order',
  messages: 'outboxes drain, and only messages that no consumer can read become dead letters',
  grants: 'a code gives tokens once, a refresh token has one successor, a replay ends both, and a sign-in survives',
  usage: 'a request is counted once, and a killed gateway loses at most its last ten seconds',
  recovery: 'a killed process is ready again within 10 s, and all of this holds within 30 s of the end of the load',
  prices: 'a price is what its parts make, and the limit of a discount what is held, used and free, used what is sold',
  changes: 'a line or the one that replaces it is sold, no ticket of a former line opens a door, and the money adds up',
  round: 'what the scenario itself expects, such as that every place was sold',
} as const;

export type Invariant = keyof typeof invariants;

/** Everything known of a round once it is quiet: the clients' journal and the product's answers. */
export interface Evidence {
  readonly entries: readonly Entry[];
  readonly checkouts: readonly Checkout[];
  readonly observed: ObservedState;
  /** Absent where no event was read. */
  readonly received?: Received;
  /** Whether the institution has cancelled the performance, which also cancels orders without a client's request. */
  readonly closed?: boolean;
}

export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
}

export interface Verdict {
  readonly checked: number;
  readonly violations: readonly Violation[];
}

export interface Check {
  /** `text` is called only when the claim does not hold. */
  that(invariant: Invariant, holds: boolean, text: () => string): void;
  readonly verdict: Verdict;
}

/** Creates a check without results. */
export function createCheck(): Check {
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
}
