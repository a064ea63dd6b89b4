// Controls: bugs that are planted in the running product, one at a time, and that the plan must catch.

import { refreshTokenKept, usageOverwritten } from './access.ts';
import type { Control } from './control.ts';
import { acknowledgedEarly, predecessorIgnored, publishedUnconfirmed } from './messaging.ts';
import { holdForgotten, leaseNeverLapses, olderEventObeyed, releaseWithoutVersion } from './steps.ts';
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
  leaseNeverLapses,
  updateWithoutVersion,
  releaseWithoutVersion,
  olderEventObeyed,
  noRollback,
  holdForgotten,
  refreshTokenKept,
  usageOverwritten,
  predecessorIgnored,
];
