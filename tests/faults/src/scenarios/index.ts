// Scenarios: the failures that a deployment must survive, one file each.

import type { Deployment } from '../deployment/deployment.ts';
import type { Scenario } from '../round/round.ts';
import { checkout } from './checkout.ts';
import { closing } from './closing.ts';
import { commands } from './commands.ts';
import { contention } from './contention.ts';
import { doubled } from './doubled.ts';
import { exchanges } from './exchanges.ts';
import { kills } from './kills.ts';
import { neighbours } from './neighbours.ts';
import { outage } from './outage.ts';
import { pauses } from './pauses.ts';
import { poison } from './poison.ts';
import { races } from './races.ts';
import { randomKills } from './random-kills.ts';
import { seats } from './seats.ts';
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
  randomKills,
  pauses,
  closing,
  outage,
  doubled,
  poison,
  neighbours,
];

/** The scenarios that a deployment supports. */
export const scenariosFor = ({ broker }: Pick<Deployment, 'broker'>): Scenario[] =>
  scenarios.filter(({ needsBroker }) => !needsBroker || broker !== undefined);
