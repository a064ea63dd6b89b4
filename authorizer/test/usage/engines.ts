import { testEngines } from '@boxoffice/service/testkit';
import { collections } from '../../src/store.ts';

export { notExercised } from '@boxoffice/service/testkit';

/** The engines that this run has. */
export const engines = testEngines('authorizer', collections);
