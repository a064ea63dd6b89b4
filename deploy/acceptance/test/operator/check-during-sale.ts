import type { Deployment } from '../../src/faults/deployment/deployment.ts';
import { type Answer, operate } from './operator.ts';
import { sell } from './selling.ts';

/** Runs the operator's check during sales and cancellations, and once after them. */
export const checkDuringSale = async (deployment: Deployment): Promise<readonly Answer[]> => {
  const selling = await sell(deployment, 300);
  const during = await operate(deployment.data, 'check', '--settle', '5');
  await selling.end();
  return [during, await operate(deployment.data, 'check', '--settle', '5')];
};

/** The output of a check without findings. */
export const CLEAN = /^checked .*\nclean: no invariant is violated\n$/;
