import type { Deployment } from '../deployment/deployment.ts';
import type { Scenario } from '../round/round.ts';
import { checkout } from './checkout.ts';
import { closing } from './closing.ts';
import { contention } from './contention.ts';
import { doubled } from './doubled.ts';
import { kills } from './kills.ts';
import { outage } from './outage.ts';
import { poison } from './poison.ts';
import { races } from './races.ts';
import { seats } from './seats.ts';

/** All of them, in the order in which they are played. */
export const scenarios: readonly Scenario[] = [
  contention,
  seats,
  races,
  kills,
  checkout,
  closing,
  outage,
  doubled,
  poison,
];

/** Those that a deployment can play. */
export const scenariosFor = ({ broker }: Pick<Deployment, 'broker'>): Scenario[] =>
  scenarios.filter(({ needsBroker }) => !needsBroker || broker !== undefined);
