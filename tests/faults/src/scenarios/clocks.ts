import { setTimeout as pause } from 'node:timers/promises';
import type { ProductProcess } from '../deployment/process.ts';
import { faithful } from '../inside/orders.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { duringTraffic } from '../round/traffic.ts';

/** The difference between the clocks of two instances, in seconds, that docs/reliability.md promises to bear. */
const PROMISED_SECONDS = 5;

/** How long the clocks differ before the process is killed, and again afterwards. */
const APART_MS = 4_000;

/** Lets the clock of a process differ while it runs, across a restart, and no longer. */
const shift = async ({ deployment }: Context, round: Round, one: ProductProcess, seconds: number): Promise<void> => {
  round.faults.push(`the clock of ${one.name} is ${seconds} s off`);
  await one.behave({ ...faithful, clockMs: seconds * 1_000 });
  try {
    await pause(APART_MS);
    await one.stop('SIGKILL');
    round.revivals.push(...(await deployment.revive([one])));
    await pause(APART_MS);
  } finally {
    await one.behave(faithful);
  }
};

const playClocks = async (context: Context, differences: readonly number[]): Promise<Round> => {
  const { deployment, random } = context;
  const opened = await beginRound(context, NAME, [
    { code: 'FLOOR', capacity: 400 },
    { code: 'FREE', capacity: 200, amount: 0 },
  ]);
  const most = Math.max(...differences) * 1_000;
  const round: Round = {
    ...opened,
    // An order is found by the time that the instance gave it.
    since: new Date(opened.since.getTime() - most),
    // An event of a killed instance whose clock is ahead looks younger than it is, until its age is that of an orphan.
    ...(most > PROMISED_SECONDS * 1_000 ? { patienceMs: most } : {}),
  };
  await duringTraffic(context, round, { buyers: 4, visitors: 4 }, async () => {
    for (const seconds of differences)
      await shift(context, round, random.pick(deployment.processes), random.chance(0.5) ? seconds : -seconds);
  });
  return round;
};

const NAME = 'clocks';

/** A scenario in which the clock of one process after the other differs by so many seconds, in either direction. */
export const clocksOf = (seconds: readonly number[]): Scenario => ({
  name: NAME,
  about: `clocks of two instances ${seconds.join(', ')} s apart`,
  play: (context) => playClocks(context, seconds),
});
