import { testEngines } from '@boxoffice/service/stand';
import { collections } from '../../src/store.ts';

export { missing, type OpenEngine, type TestEngine as Engine } from '@boxoffice/service/stand';

/** The engines that this run has. */
export const engines = testEngines('pos', collections);
