// Scenarios: the failures that a deployment must survive.

import type { Deployment } from '../deployment/deployment.ts';
import type { Scenario } from '../round/round.ts';
import { commands } from './commands.ts';
import { contention, exchanges, races, seats } from './contention.ts';
import { broker, links, outage, store } from './engines.ts';
import { checkout, closing, kills } from './kills.ts';
import { messages } from './messages.ts';
import { clocks, pauses, randomKills } from './processes.ts';
import { signIns } from './sign-ins.ts';

/** All scenarios, in the order of play. */
export const scenarios: readonly Scenario[] = [
  contention,
  seats,
  exchanges,
  races,
  kills,
  checkout,
  commands,
  signIns,
  closing,
  randomKills,
  pauses,
  clocks,
  messages,
  outage,
  broker,
  store,
  links,
];

/** The scenarios of these names that a deployment supports. */
export const scenariosFor = (deployment: Deployment, names: readonly string[]): Scenario[] => {
  const has = {
    broker: deployment.broker !== undefined,
    links: deployment.links !== undefined,
    processes: deployment.processes.length > 1,
  };
  return scenarios.filter(({ name, needs }) => names.includes(name) && (needs === undefined || has[needs]));
};
