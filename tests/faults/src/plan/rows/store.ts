import type { EnginesName } from '../../deployment/deployment.ts';
import { startEmbedded } from '../../deployment/embedded.ts';
import { lacksLinks, needScaledEngines, startScaled } from '../../deployment/scaled.ts';
import type { Random } from '../../round/random.ts';
import { playLocks, playStoreFaults, type StoreFault, storeFaults } from '../../scenarios/engines/store.ts';
import { inTurns, type PlannedRound, type PlanRow, portions } from '../row.ts';

const control = (): string | undefined => process.env.TEST_MONGODB_CONTROL;

/** The faults that a server of others does not suffer. */
const ofOwnServer: readonly StoreFault[] = ['killed', 'restarted'];

/** Killing the embedded store is killing its process, which other rows do. */
const embeddedFaults = ['refusing writes', 'slow'] as const;

const roundsOf = <Fault>(
  faults: readonly Fault[],
  most: number,
  play: (own: readonly Fault[]) => PlannedRound['play'],
): PlannedRound[] =>
  portions(faults.length, most).map((units, index) => ({
    units,
    play: play(faults.slice(index * most).slice(0, units)),
  }));

const rounds = (count: number, random: Random, engines: EnginesName): PlannedRound[] => {
  if (engines === 'embedded')
    return roundsOf(
      inTurns(random.shuffled(embeddedFaults), count),
      embeddedFaults.length,
      (own) => (context) => playLocks(context, own),
    );
  const faults = inTurns(random.shuffled(storeFaults), count).filter(
    (fault) => control() !== undefined || !ofOwnServer.includes(fault),
  );
  return roundsOf(faults, storeFaults.length, (own) => (context) => playStoreFaults(context, own));
};

/** The store killed, restarted, refusing writes, and slow. */
export const storeDown: PlanRow = {
  number: 5,
  fault: 'the store killed, restarted, refusing writes, 6 s slow (embedded: the last two, by a lock on a file)',
  unit: 'faults',
  times: { embedded: 15, scaled: 30 },
  lacks: (engines) => (engines === 'scaled' ? lacksLinks(process.env) : undefined),
  lacksPart: (engines) =>
    engines === 'scaled' && control() === undefined
      ? 'kills and restarts of the store need TEST_MONGODB_CONTROL'
      : undefined,
  play: {
    kind: 'rounds',
    start: (engines) =>
      engines === 'embedded'
        ? startEmbedded()
        : startScaled(needScaledEngines(process.env), {
            links: true,
            writeGate: true,
            mongodbControl: control(),
          }),
    rounds,
  },
};
