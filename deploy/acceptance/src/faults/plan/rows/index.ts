// The rows of the plan: one kind of fault each, in the order of the table.

import type { PlanRow } from '../row.ts';
import { killsAtPoints, killsAtRandomMoments } from './kills.ts';
import { pauses } from './pauses.ts';

/** All rows, in the order of their numbers. */
export const planRows: readonly PlanRow[] = [killsAtPoints, killsAtRandomMoments, pauses];
