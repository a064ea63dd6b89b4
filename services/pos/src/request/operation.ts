import { type AnyOperation, operationsFor } from '@boxoffice/http';
import type { Edition } from '../description/editions.ts';
import type { Visit } from './admit.ts';

const V1 = '/tnwr/v1';
const EXPERIMENTAL = '/tnwr/vexp';

/** Declares an operation for visitors; its path is relative to the version prefix. */
export const operation = operationsFor<Visit>();

/** Operations that answer alike under the numbered version and, as aliases, under the experimental one. */
export const inBothVersions = (operations: readonly AnyOperation[]): AnyOperation[] =>
  operations.map((declared) => ({
    ...declared,
    path: `${V1}${declared.path}`,
    aliases: [`${EXPERIMENTAL}${declared.path}`],
  }));

/** Operations of one version, with the ids that an alias would have. */
export const inVersion = ({ isExperimental }: Edition, operations: readonly AnyOperation[]): AnyOperation[] =>
  operations.map((declared) =>
    isExperimental
      ? { ...declared, id: `${declared.id}Experimental`, path: `${EXPERIMENTAL}${declared.path}` }
      : { ...declared, path: `${V1}${declared.path}` },
  );
