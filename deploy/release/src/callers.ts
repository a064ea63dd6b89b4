import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { operationsOf } from './compare/description.ts';
import type { Process } from './processes.ts';
import { fileOf } from './snapshot.ts';

/** Who calls internal operations that no client names by their id, since they come before all identity. */
const BEFORE_IDENTITY: Readonly<Record<string, readonly string[]>> = {
  decide: ['gateway'],
  listRevocations: ['gateway'],
  identifyService: ['gateway', 'orders', 'pos'],
};

/** The text of what calls other processes: a service's `clients`, and all of the gateway. */
const sourcesOf = (process: Process): string => {
  const folder = fileOf(process, process.name === 'gateway' ? 'src/' : 'src/clients/');
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
};

/** Who calls an internal operation, by its id. */
export type CallersOf = (provider: string, operationId: string) => readonly string[];

/**
 * Finds out who calls whose internal operations: whoever names the operation's id in its clients, as every call must that asks for an
 * identity.
 */
export const findCallers = (processes: readonly Process[]): CallersOf => {
  const sources = processes.map((process) => ({ name: process.name, text: sourcesOf(process) }));
  return (provider, operationId) =>
    BEFORE_IDENTITY[operationId] ??
    sources.filter(({ name, text }) => name !== provider && text.includes(`'${operationId}'`)).map(({ name }) => name);
};

/** The internal operations that a process calls, by provider. */
export const callsOf = (
  caller: string,
  processes: readonly Process[],
  callersOf: CallersOf,
): { readonly provider: string; readonly operation: string; readonly name: string }[] =>
  processes.flatMap((provider) =>
    [...operationsOf(provider.internal()).values()]
      .filter(({ operation }) => callersOf(provider.name, operation.operationId).includes(caller))
      .map(({ name, operation }) => ({ provider: provider.name, operation: operation.operationId, name })),
  );
