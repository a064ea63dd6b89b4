import { type CrashPointName, crashPoints, type ServiceName } from './crash-points.ts';
import type { Deployment } from './deployment.ts';
import type { Round } from './round.ts';

/** A point that the traffic has not reached by then is not reached. */
const REACH_MS = 15_000;

/**
 * Kills a process of the point's service when it reaches the point for the n-th time, and starts it again; `meanwhile` begins when
 * everything is ready for it. Answers whether the point was reached.
 */
export const killAt = async (
  point: CrashPointName,
  nth: number,
  deployment: Deployment,
  round: Round,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<boolean> => {
  const victims = deployment.runs(crashPoints[point].service);
  await Promise.all(victims.map((victim) => victim.arm(point, nth)));
  const died = Promise.race(victims.map((victim) => victim.ended().then(() => true)));
  const acting = meanwhile();
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), REACH_MS);
  const reached = await Promise.race([died, late.promise]);
  clearTimeout(timer);
  // The other instance goes on.
  await Promise.all(victims.map((victim) => victim.disarm()));
  round.revivals.push(...(await deployment.revive()));
  if (reached) round.kills.push(point);
  await acting;
  return reached;
};

/** Kills every process of a service; they stay dead until the deployment is revived. */
export const killAll = async (
  service: ServiceName,
  { runs }: Pick<Deployment, 'runs'>,
  round: Round,
): Promise<void> => {
  await Promise.all(runs(service).map((victim) => victim.stop('SIGKILL')));
  round.kills.push(`every ${service}`);
};
