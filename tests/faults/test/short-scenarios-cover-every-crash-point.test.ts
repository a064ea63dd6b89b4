import { expect, test } from '@jest/globals';
import {
  accessPointNames,
  type CrashPointName,
  commandPointNames,
  crashPoints,
  rescuePointNames,
} from '../src/deployment/crash-points.ts';
import { shortCheckout } from '../src/scenarios/checkout.ts';
import { shortKills } from '../src/scenarios/kills.ts';

/** The scenario of a cancelled performance has one point. */
const closingPoints: readonly CrashPointName[] = ['orders-performance-received'];

test('the short scenarios of both deployments cover every crash point but those of commands and access, which the plan plays', () => {
  const played = [shortKills, shortCheckout].flatMap(({ embedded, scaled }) => [...embedded, ...scaled]);
  const named = [...played, ...rescuePointNames, ...closingPoints, ...commandPointNames, ...accessPointNames];
  expect([...new Set(named)].sort()).toEqual(Object.keys(crashPoints).sort());
  expect(played.filter((name) => commandPointNames.includes(name))).toEqual([]);
});
