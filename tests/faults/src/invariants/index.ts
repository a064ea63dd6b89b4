// Invariants: the checks of a quiet round, one file per subject.

import { checkAcknowledged } from './acknowledged.ts';
import { checkCancellations } from './cancellations.ts';
import { checkCheckouts } from './checkouts.ts';
import { checkEvents } from './events.ts';
import type { Evidence } from './evidence.ts';
import { checkKeys } from './keys.ts';
import { checkStock } from './stock.ts';
import { checkTickets } from './tickets.ts';
import type { Check } from './verdict.ts';

/** Checks every invariant of a round. */
export const checkRound = (evidence: Evidence, check: Check): void => {
  checkStock(evidence, check);
  checkAcknowledged(evidence, check);
  checkCancellations(evidence, check);
  checkTickets(evidence, check);
  checkKeys(evidence, check);
  checkCheckouts(evidence, check);
  checkEvents(evidence, check);
};
