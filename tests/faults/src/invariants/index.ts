// Invariants: the comparison of the answers to clients with a quiet product, one file per subject. What is stored is
// judged by the operator's check.

import { checkAcknowledged } from './acknowledged.ts';
import { checkCheckouts } from './checkouts.ts';
import { checkEvents } from './events.ts';
import { checkKeys } from './keys.ts';
import type { Check, Evidence } from './verdict.ts';

/** Compares a round's evidence. */
export const checkRound = (evidence: Evidence, check: Check): void => {
  for (const { id, capacity, free, held, sold } of evidence.observed.stock) {
    const text = () => `${id} says ${free} free, ${held} held and ${sold} sold of ${capacity}`;
    check.that('acknowledged', free + held + sold === capacity, text);
  }
  checkAcknowledged(evidence, check);
  checkKeys(evidence, check);
  checkCheckouts(evidence, check);
  checkEvents(evidence, check);
};
