import { startEmbedded } from '../../deployment/embedded.ts';
import { lacksSmallDisk, openSmallDisk } from '../../deployment/small-disk.ts';
import { fullDisksOf } from '../../scenarios/full-disk.ts';
import { type PlanRow, portions } from '../row.ts';

const TIMES = 20;
const PER_ROUND = 3;
const MEGABYTES = 256;

/** The disk under the embedded engines is full, and has room again. */
export const fullDisks: PlanRow = {
  number: 8,
  fault: 'disk full under the embedded engines and back',
  unit: 'full disks',
  times: { embedded: TIMES },
  lacks: lacksSmallDisk,
  play: {
    kind: 'rounds',
    start: () => startEmbedded([], openSmallDisk(MEGABYTES)),
    rounds: (count) => portions(count, PER_ROUND).map((units) => ({ units, play: fullDisksOf(units).play })),
  },
};
