import { expect, test } from '@jest/globals';
import { checkoutPointNames, crashPointNames, rescuePointNames } from '../../src/faults/deployment/crash-points.ts';
import { shortCheckout } from '../../src/faults/scenarios/checkout.ts';
import { shortKills } from '../../src/faults/scenarios/kills.ts';

test('the short scenarios of both deployments cover every crash point', () => {
  const played = [shortKills, shortCheckout].flatMap(({ embedded, scaled }) => [...embedded, ...scaled]);
  const all = new Set([...crashPointNames, ...checkoutPointNames, ...rescuePointNames]);
  expect([...new Set([...played, ...rescuePointNames])].sort()).toEqual([...all].sort());
});
