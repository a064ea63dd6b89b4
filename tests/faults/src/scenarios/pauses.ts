import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '../deployment/crash-points.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { duringTraffic } from '../round/traffic.ts';

/** Seconds of a pause: shorter than a lease, longer than every lease, and longer than every timeout of the product. */
const LONG = [5, 20, 60] as const;
const SHORT = [5] as const;

const NAME = 'pauses';

const playPauses = async (context: Context, lengths: readonly number[], service?: ServiceName): Promise<Round> => {
  const { deployment, random, size } = context;
  const round = await beginRound(context, NAME, [
    { code: 'FLOOR', capacity: 400 },
    { code: 'FREE', capacity: 200, amount: 0 },
  ]);
  const clients = size === 'short' ? { buyers: 2, visitors: 2 } : { buyers: 4, visitors: 4 };
  await duringTraffic(context, round, clients, async () => {
    for (const seconds of lengths) {
      await pause(random.between(100, 1_500));
      const paused = random.pick(service === undefined ? deployment.processes : deployment.runs(service));
      paused.signal('SIGSTOP');
      round.faults.push(`${paused.name} paused for ${seconds} s`);
      try {
        await pause(seconds * 1_000);
      } finally {
        paused.signal('SIGCONT');
      }
    }
  });
  return round;
};

/** A scenario of pauses of these seconds, one after the other, of any process or of those of one service. */
export const pausesOf = (lengths: readonly number[], service?: ServiceName): Scenario => ({
  name: NAME,
  about: `SIGSTOP of a process${service === undefined ? '' : ` of ${service}`} for ${lengths.join(', ')} s, then SIGCONT`,
  play: (context) => playPauses(context, lengths, service),
});

/**
 * A process is stopped with SIGSTOP in the middle of its work and continues after others have done it: what it does then
 * must have no effect.
 */
export const pauses: Scenario = {
  name: NAME,
  about: 'SIGSTOP of a process for 5, 20 and 60 s, then SIGCONT',
  play: (context) => playPauses(context, context.size === 'short' ? SHORT : LONG),
};
