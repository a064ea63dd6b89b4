import { testEngines } from '@boxoffice/service/testkit';
import { collections } from '../../src/store.ts';

export { missing, type OpenEngine, type TestEngine as Engine } from '@boxoffice/service/testkit';

/** The engines that this run has. */
export const engines = testEngines('orders', collections);
