// The rows of the plan: one kind of fault each, in the order of the table.

import type { PlanRow } from '../row.ts';
import { brokerDown } from './broker.ts';
import { clocks } from './clocks.ts';
import { fullDisks } from './disks.ts';
import { histories } from './histories.ts';
import { killsAtPoints, killsAtRandomMoments } from './kills.ts';
import { linksDamaged } from './links.ts';
import { reordered } from './messages.ts';
import { outages } from './outages.ts';
import { pauses } from './pauses.ts';
import { storeDown } from './store.ts';

/** All rows, in the order of their numbers. */
export const planRows: readonly PlanRow[] = [
  killsAtPoints,
  killsAtRandomMoments,
  pauses,
  brokerDown,
  storeDown,
  linksDamaged,
  clocks,
  fullDisks,
  reordered,
  outages,
  histories,
];
