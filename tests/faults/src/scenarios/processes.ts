import { setTimeout as pause } from 'node:timers/promises';
import { faithful } from '../inside/orders.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { runDuringTraffic } from '../round/traffic.ts';

const play = async <Fault>(
  context: Context,
  faults: readonly Fault[],
  suffer: (fault: Fault, round: Round) => Promise<void>,
): Promise<Round> => {
  const round = await beginRound(context);
  await runDuringTraffic(context, round, async () => {
    for (const fault of faults) {
      await pause(context.random.between(100, 1_500));
      await suffer(fault, round);
    }
  });
  return round;
};

export const randomKills: Scenario = {
  name: 'random-kills',
  about: 'SIGKILL of one process or two at once, at random moments, the gateway and the authorizer included',
  rounds: 4,
  play(context) {
    const { deployment, random, size } = context;
    return play(context, size === 'short' ? [1, 2] : [1, 1, 1, 2, 1, 1, 1, 2], async (count, round) => {
      const victims = random.shuffle(deployment.processes).slice(0, count);
      await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
      round.faults.push(victims.map(({ name }) => name).join(' and '));
      round.revivals.push(...(await deployment.revive(victims)));
    });
  },
};

/**
 * A process is stopped with SIGSTOP in the middle of its work and continues after others have done it: what it does
 * then must have no effect. Shorter than a lease, longer than every lease, and longer than every timeout of the
 * product.
 */
export const pauses: Scenario = {
  name: 'pauses',
  about: 'SIGSTOP of a process for 5, 20 and 60 seconds, then SIGCONT',
  rounds: 2,
  play(context) {
    const { deployment, random, size } = context;
    return play(context, size === 'short' ? [5] : [5, 20, 60], async (seconds, round) => {
      const paused = random.pick(deployment.processes);
      paused.signal('SIGSTOP');
      round.faults.push(`${paused.name} paused for ${seconds} s`);
      await pause(seconds * 1_000);
      paused.signal('SIGCONT');
    });
  },
};

/** How long the clocks differ before the process is killed, and again afterwards. */
const APART_MS = 4_000;

export const clocks: Scenario = {
  name: 'clocks',
  about: 'the wall clock of a process is 5 s ahead or behind, also across a SIGKILL',
  needs: 'processes',
  rounds: 2,
  play(context) {
    const { deployment, random } = context;
    return play(context, [5, -5], async (seconds, round) => {
      const one = random.pick(deployment.processes);
      round.faults.push(`the clock of ${one.name} is ${seconds} s off`);
      await one.behave({ ...faithful, clockMs: seconds * 1_000 });
      await pause(APART_MS);
      await one.stop('SIGKILL');
      round.revivals.push(...(await deployment.revive([one])));
      await pause(APART_MS);
      await one.behave(faithful);
    });
  },
};
