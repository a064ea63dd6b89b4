import { type AnyOperation, operationsFor } from '@boxoffice/http';
import type { Visit } from './visit.ts';

const V1 = '/tnwr/v1';
const EXPERIMENTAL = '/tnwr/vexp';

/** Declares an operation for visitors; its path is relative to the version prefix. */
export const operation = operationsFor<Visit>();

/** The operations under the numbered version, and as aliases under the experimental one. */
export const versioned = (operations: readonly AnyOperation[]): AnyOperation[] =>
  operations.map((declared) => ({
    ...declared,
    path: `${V1}${declared.path}`,
    aliases: [`${EXPERIMENTAL}${declared.path}`],
  }));
