// The attacker: a process of its own, whose processor time is limited, that does what the threat model names at once.

import { constants, getPriority, setPriority } from 'node:os';
import type { Client } from '@boxoffice/testkit';
import { type Random, randomFrom } from '../../round/random.ts';
import { clientFrom } from '../addresses.ts';
import { patternOf } from '../samples.ts';
import type { AttackCounts, AttackPlan } from './attack-plan.ts';
import { type Budget, createBudget } from './budget.ts';
import { holdConnections } from './connections.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';
import { sendAllSlowly } from './slow.ts';
import { createTally, type Tally } from './tally.ts';

/** Requests of each kind in progress. */
const ABREAST = 12;
/** Connections of one address for requests; the others that it may have are held without a request. */
const CONNECTIONS = 12;

const repeat = async (
  { kind, make }: HostileRequest,
  clients: readonly Client[],
  random: Random,
  budget: Budget,
  tally: Tally,
  over: () => boolean,
): Promise<void> => {
  while (!over()) {
    await budget.turn();
    const { path, call } = make(random);
    const reply = await random
      .pick(clients)(path, call)
      .catch(() => undefined);
    if (!over()) tally.answered(kind, `${call.method ?? 'GET'} ${patternOf(path)}`, reply);
  }
};

/** Begins the attack; the result of `counts` is current. */
const attack = (plan: AttackPlan): { counts(): AttackCounts; stop(): void } => {
  const budget = createBudget({ share: plan.share });
  const tally = createTally();
  let stopped = false;
  const over = () => stopped;
  const clients = plan.from.map((from) => clientFrom(plan.address, from, CONNECTIONS));
  const random = randomFrom(plan.seed);
  const idle = holdConnections(Number(new URL(plan.address.baseUrl).port), plan.from, plan.connections, budget);
  sendAllSlowly(plan, budget, tally, over);
  for (const request of hostileRequests(plan)) {
    for (let index = 0; index < ABREAST; index++) {
      void repeat(request, clients, random.fork(`${request.kind} ${index}`), budget, tally, over);
    }
  }
  return {
    counts: () => ({ ...tally.counts(), ...idle.counts, share: budget.used() }),
    stop() {
      stopped = true;
      idle.close();
    },
  };
};

// The plan arrives over the channel of the parent process; every later message asks for the counts and, if it is
// `stop`, ends the attack.
process.once('message', (plan: AttackPlan) => {
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5));
  const running = attack(plan);
  process.on('message', (order: 'counts' | 'stop') => {
    const counts = running.counts();
    if (order === 'stop') running.stop();
    process.send?.(counts, () => {
      if (order === 'stop') process.exit(0);
    });
  });
});
process.on('disconnect', () => process.exit(1));
