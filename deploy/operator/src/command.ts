import type { ParseArgsOptionsConfig } from 'node:util';
import type { Installation } from './installation.ts';

/** The words and options that followed a command's name. */
export interface Given {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** What a command answers: a list, one record, or a sentence. */
export type Result = readonly object[] | object | string;

/** One thing that an operator can do. */
export interface Command {
  /** `clients create` */
  readonly name: string;
  /** What follows the name: `INSTITUTION --name NAME --scopes a:read,b:write`. */
  readonly usage: string;
  readonly about: string;
  /** Words that must follow the name, in their order. */
  readonly words?: readonly string[];
  readonly options?: ParseArgsOptionsConfig;
  run(installation: Installation, given: Given): Promise<Result>;
}

/** What the operator typed cannot be carried out; the message says why. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** The option's text. @throws {Misuse} when it is absent */
export const required = ({ options }: Given, name: string): string => {
  const value = options[name];
  if (typeof value !== 'string' || value === '') throw new Misuse(`--${name} is missing`);
  return value;
};

/** A comma-separated option as a list; absent: the default. */
export const listOf = ({ options }: Given, name: string, otherwise: readonly string[] = []): string[] => {
  const value = options[name];
  if (typeof value !== 'string') return [...otherwise];
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
};
