import { CALLS } from '@boxoffice/authorizer';
import { operationsOf } from '@boxoffice/codegen';
import type { Process } from './processes.ts';

/** Callers of the internal operations without identity, which the authorizer therefore does not list. */
const BEFORE_IDENTITY: Readonly<Record<string, readonly string[]>> = {
  decide: ['gateway'],
  listRevocations: ['gateway'],
  identifyService: ['gateway', 'orders', 'pos'],
};

/**
 * The processes that may call an internal operation, as the authorizer lists them. A client is generated for exactly
 * the listed operations, so that no other call compiles, and the authorizer issues identities for no other.
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
