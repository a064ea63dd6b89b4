// Controls: bugs that are planted in the running product, one at a time, and that the plan must catch.

import { refreshTokenKept, usageOverwritten } from './access.ts';
import type { Control } from './control.ts';
import { acknowledgedEarly, predecessorIgnored, publishedUnconfirmed } from './messaging.ts';
import {
  confirmedWithoutState,
  holdForgotten,
  olderEventObeyed,
  paidForgotten,
  paymentIgnored,
  paymentNotDerived,
  releaseWithoutVersion,
  saleWithoutHolder,
} from './selling.ts';
import {
  claimWithoutSwap,
  institutionDropped,
  institutionDroppedById,
  noDeduplication,
  noRollback,
  updateWithoutVersion,
} from './store.ts';

/** All controls, in the order of play. */
export const controls: readonly Control[] = [
  acknowledgedEarly,
  noDeduplication,
  claimWithoutSwap,
  publishedUnconfirmed,
  institutionDropped,
  institutionDroppedById,
  paidForgotten,
  saleWithoutHolder,
  confirmedWithoutState,
  updateWithoutVersion,
  releaseWithoutVersion,
  paymentNotDerived,
  paymentIgnored,
  olderEventObeyed,
  noRollback,
  holdForgotten,
  refreshTokenKept,
  usageOverwritten,
  predecessorIgnored,
];
