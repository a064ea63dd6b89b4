import { CALLS } from '@boxoffice/authorizer';
import { operationsOf } from './compare/description.ts';
import type { Process } from './processes.ts';

/** Callers of the internal operations that need no identity, so that the authorizer does not list them. */
const BEFORE_IDENTITY: Readonly<Record<string, readonly string[]>> = {
  decide: ['gateway'],
  listRevocations: ['gateway'],
  identifyService: ['gateway', 'orders', 'pos'],
};

/**
 * Names of the processes that call an internal operation: those that the authorizer lists. A client is generated for exactly the
 * listed operations, so no other call compiles, and the authorizer gives an identity for no other.
 */
export const callersOf = (provider: string, operationId: string): readonly string[] =>
  BEFORE_IDENTITY[operationId] ??
  Object.entries(CALLS)
    .filter(([, calls]) => calls[provider]?.includes(operationId))
    .map(([caller]) => caller);

/** The internal operations that a process calls, by provider. */
export const callsOf = (
  caller: string,
  processes: readonly Process[],
): { readonly provider: string; readonly operation: string; readonly name: string }[] =>
  processes.flatMap((provider) =>
    [...operationsOf(provider.internal()).values()]
      .filter(({ operation }) => callersOf(provider.name, operation.operationId).includes(caller))
      .map(({ name, operation }) => ({ provider: provider.name, operation: operation.operationId, name })),
  );
