// The attacker of a siege: its knowledge, its process with a limited share of a core, and what the product answers it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AttackCounts, AttackPlan } from './attack-plan.ts';

/** A running attack. */
export interface Attacker {
  counts(): Promise<AttackCounts>;
  /** Ends the attack; resolves with its final counts when its process has ended. */
  stop(): Promise<AttackCounts>;
}

const MAIN = new URL('./main.ts', import.meta.url).pathname;

/** Starts the attack in a process of its own. */
export const startAttacker = (plan: AttackPlan): Attacker => {
  const child = fork(MAIN, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send(plan);
  const ended = once(child, 'exit');
  const ask = async (order: 'counts' | 'stop'): Promise<AttackCounts> => {
    const answer = once(child, 'message').then(([counts]) => counts as AttackCounts);
    child.send(order);
    const counts = await Promise.race([answer, ended.then(() => undefined)]);
    if (!counts) throw new Error('the attacker ended by itself');
    return counts;
  };
  return {
    counts: () => ask('counts'),
    async stop() {
      const counts = await ask('stop');
      await ended;
      return counts;
    },
  };
};
