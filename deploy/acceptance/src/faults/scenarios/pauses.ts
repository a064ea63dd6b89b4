import { setTimeout as pause } from 'node:timers/promises';
import { beginRound, type Scenario } from '../round/round.ts';
import { duringTraffic } from '../round/traffic.ts';

/** Seconds of a pause: shorter than a lease, longer than every lease, and longer than every timeout of the product. */
const LONG = [5, 20, 60] as const;
const SHORT = [5] as const;

/**
 * A process is stopped with SIGSTOP in the middle of its work and continues after others have taken its steps over: it
 * must not finish what is no longer its own.
 */
export const pauses: Scenario = {
  name: 'pauses',
  about: 'SIGSTOP of a process for 5, 20 and 60 s, then SIGCONT',
  async play(context) {
    const { deployment, random, size } = context;
    const round = await beginRound(context, 'pauses', [
      { code: 'FLOOR', capacity: 400 },
      { code: 'FREE', capacity: 200, amount: 0 },
    ]);
    const clients = size === 'short' ? { buyers: 2, visitors: 2 } : { buyers: 4, visitors: 4 };
    await duringTraffic(context, round, clients, async () => {
      for (const seconds of size === 'short' ? SHORT : LONG) {
        await pause(random.between(100, 1_500));
        const paused = random.pick(deployment.processes);
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
  },
};
