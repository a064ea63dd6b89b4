import type { Deployment } from '../../src/faults/deployment/deployment.ts';
import { type Answer, operate } from './operator.ts';
import { sell } from './selling.ts';

/** Lets the operator's check run while everything is being sold and cancelled, and once when that is over. */
export const checkDuringSale = async (deployment: Deployment): Promise<readonly Answer[]> => {
  const selling = await sell(deployment, 300);
  const during = await operate(deployment.engine, 'check', '--settle', '2');
  await selling.end();
  return [during, await operate(deployment.engine, 'check', '--settle', '2')];
};

/** What it answers when it has nothing to say. */
export const CLEAN = /^checked .*\nclean: no invariant is violated\n$/;
