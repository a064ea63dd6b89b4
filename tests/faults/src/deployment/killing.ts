import { within } from '@boxoffice/runtime';
import type { Context, Round } from '../round/round.ts';
import { crashPointNamed, type ServiceName } from './crash-points.ts';
import type { ProductProcess } from './process.ts';

/**
 * A point that the traffic has not reached after this time, with the slack of the round, counts as not reached: some are
 * the last of many steps of their client, and gateways report usage every five seconds.
 */
const REACH_MS = 90_000;

/** The last kill in the processes of a service, in progress or finished; kills run one after the other. */
const last = new WeakMap<object, Promise<unknown>>();

/** Runs an action on processes while no other kill of the same processes is in progress. */
const alone = <T>(victims: readonly ProductProcess[], act: () => Promise<T>): Promise<T> => {
  const [first] = victims;
  if (!first) throw new Error('no process of this service runs');
  const done = (last.get(first) ?? Promise.resolve()).catch(() => undefined).then(act);
  last.set(first, done);
  return done;
};

/**
 * Kills a process of the point's service when it reaches the point for the n-th time, and restarts it; `meanwhile`
 * starts when the point is armed. One kill at a time per service; several services in parallel. Returns whether the
 * point was reached.
 */
export const killAt = (
  { deployment }: Pick<Context, 'deployment'>,
  round: Round,
  point: string,
  nth: number,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<boolean> => {
  const victims = deployment.runs(crashPointNamed(point).service);
  return alone(victims, async () => {
    await Promise.all(victims.map((victim) => victim.arm(point, nth)));
    const died = Promise.race(victims.map((victim) => victim.ended().then(() => true)));
    const acting = meanwhile();
    const reached = await within(died, REACH_MS * round.slack, () => false);
    // The other instance continues.
    await Promise.all(victims.map((victim) => victim.disarm()));
    round.revivals.push(...(await deployment.revive(victims)));
    if (reached) round.faults.push(point);
    await acting;
    return reached;
  });
};

/** Kills at each of the points, at one of its first passages; returns those that were not reached. */
export const killAtEach = async (context: Context, round: Round, points: readonly string[]): Promise<string[]> => {
  const missed: string[] = [];
  const strike = async (point: string): Promise<void> => {
    const nth = context.random.fork(point).between(1, 2);
    if (!(await killAt(context, round, point, nth))) missed.push(point);
  };
  await Promise.all(points.map(strike));
  return missed;
};

/** Kills every process of a service, so that none does its work meanwhile, and restarts them at the end. */
export const killAll = (
  { deployment }: Pick<Context, 'deployment'>,
  round: Round,
  service: ServiceName,
  meanwhile: () => Promise<void>,
): Promise<void> => {
  const victims = deployment.runs(service);
  return alone(victims, async () => {
    await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
    round.faults.push(`every ${service}`);
    await meanwhile();
    round.revivals.push(...(await deployment.revive(victims)));
  });
};
