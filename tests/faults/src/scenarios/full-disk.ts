import { setTimeout as pause } from 'node:timers/promises';
import { type Buyer, openBuyer } from '../client/buyer.ts';
import type { SmallDisk } from '../deployment/small-disk.ts';
import type { Entry } from '../round/journal.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { anyPlaces } from '../round/stage.ts';
import { duringTraffic } from '../round/traffic.ts';

/** What happens to the process while the disk is full. */
type Meanwhile = 'runs' | 'is killed and started again';

const FULL_MS = 4_000;
/** How long a process that starts on a full disk may try. */
const STARTING_MS = 4_000;

/** The 5xx that clients of the institution API may see: the store is unavailable. */
const UNAVAILABLE = 503;

/** Fills the disk for some seconds; afterwards the product must sell again, without a restart if it ran meanwhile. */
const fillOnce = async (
  { deployment }: Context,
  round: Round,
  disk: SmallDisk,
  meanwhile: Meanwhile,
  buyer: Buyer,
): Promise<Entry> => {
  const [whole] = deployment.processes;
  if (!whole) throw new Error('the deployment has no process');
  await disk.fill();
  round.faults.push(`the disk is full, and the process ${meanwhile}`);
  let starting: Promise<unknown> = Promise.resolve();
  try {
    await pause(FULL_MS);
    if (meanwhile !== 'runs') {
      await whole.stop('SIGKILL');
      // It ends with the reason, or waits until there is room.
      starting = whole.start().catch(() => undefined);
      await Promise.race([starting, pause(STARTING_MS)]);
    }
  } finally {
    await disk.free();
  }
  if (meanwhile !== 'runs') {
    await Promise.race([starting, whole.ended()]);
    round.revivals.push(...(await deployment.revive([whole])));
  }
  return buyer.create([anyPlaces(round.hall, 1)]);
};

const playFullDisk = async (context: Context, fills: readonly Meanwhile[]): Promise<Round> => {
  const { disk } = context.deployment;
  if (!disk) throw new Error('this deployment has no disk of its own');
  const round = await beginRound(context, NAME, [
    { code: 'FLOOR', capacity: 400 },
    { code: 'FREE', capacity: 200, amount: 0 },
  ]);
  const { api, random, reference } = context;
  const { journal } = round;
  const probe = openBuyer({ api, journal, random: random.fork('afterwards'), reference, persistent: true });
  const afterwards: Entry[] = [];
  await duringTraffic(context, round, { buyers: 4, visitors: 4 }, async () => {
    for (const meanwhile of fills) {
      await pause(random.between(300, 1_500));
      afterwards.push(await fillOnce(context, round, disk, meanwhile, probe));
    }
  });
  round.alsoTrue = ({ entries }, check) => {
    for (const { outcome, story } of afterwards)
      check.that('round', outcome === 'ok', () => `no sale after a full disk: ${story.join(', ')}`);
    const statuses = entries.flatMap(({ story }) => story.flatMap((one) => / ms (5\d\d)/.exec(one)?.[1] ?? []));
    check.that('round', statuses.length > 0, () => 'no request was answered 5xx');
    const others = statuses.filter((status) => Number(status) !== UNAVAILABLE);
    check.that('round', others.length === 0, () => `answered ${[...new Set(others)].join(', ')} on a full disk`);
  };
  return round;
};

const NAME = 'full-disk';

/** A scenario in which the disk under the embedded engines is full so many times; every third time with a SIGKILL. */
export const fullDisksOf = (times: number): Scenario => ({
  name: NAME,
  about: `the disk is full ${times} times`,
  play: (context) =>
    playFullDisk(
      context,
      Array.from({ length: times }, (_, index) => (index % 3 === 2 ? 'is killed and started again' : 'runs')),
    ),
});
