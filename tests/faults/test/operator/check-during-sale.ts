import { expect } from '@jest/globals';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { type Answer, operate } from './operator.ts';
import { sell } from './selling.ts';

/** Runs the operator's check during sales and cancellations, and once after them. */
export const checkDuringSale = async (deployment: Deployment): Promise<readonly Answer[]> => {
  const selling = await sell(deployment, 300);
  const during = await operate(deployment.data, 'check', '--settle', '5');
  await selling.end();
  if (during.err !== '') process.stdout.write(during.err);
  return [during, await operate(deployment.data, 'check', '--settle', '5')];
};

/** The output of a check without findings. */
const CLEAN = /^checked .*\nclean: no invariant is violated\n$/;
/** The same while something is always under way, on a slow machine for longer than the check waits. */
const NOTHING_WRONG =
  /^(under way: .*\n)*checked .*\nclean(: no invariant is violated| except for pending work: .*)\n$/;

/** What {@link checkDuringSale} returns if nothing is wrong. */
export const FINDS_NOTHING = [NOTHING_WRONG, CLEAN].map((out) => ({ status: 0, out: expect.stringMatching(out) }));
