import { within } from '@boxoffice/runtime';
import type { Round } from '../round/round.ts';
import { type CrashPointName, crashPoints, type ServiceName } from './crash-points.ts';
import type { Deployment } from './deployment.ts';
import type { ProductProcess } from './process.ts';

/** A point that the traffic has not reached after this time, with the slack of the round, counts as not reached. */
const REACH_MS = 30_000;

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
 * point was reached within `reachMs`.
 */
export const killAt = (
  point: CrashPointName,
  nth: number,
  deployment: Deployment,
  round: Round,
  meanwhile: () => Promise<unknown> = async () => undefined,
  reachMs = REACH_MS,
): Promise<boolean> => {
  const victims = deployment.runs(crashPoints[point].service);
  return alone(victims, async () => {
    await Promise.all(victims.map((victim) => victim.arm(point, nth)));
    const died = Promise.race(victims.map((victim) => victim.ended().then(() => true)));
    const acting = meanwhile();
    const reached = await within(died, reachMs * round.slack, () => false);
    // The other instance continues.
    await Promise.all(victims.map((victim) => victim.disarm()));
    round.revivals.push(...(await deployment.revive(victims)));
    if (reached) round.faults.push(point);
    await acting;
    return reached;
  });
};

/** Kills every process of a service, so that none does its work meanwhile, and restarts them at the end. */
export const killAll = (
  service: ServiceName,
  deployment: Deployment,
  round: Round,
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
