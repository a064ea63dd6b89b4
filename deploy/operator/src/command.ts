import type { ParseArgsOptionsConfig } from 'node:util';
import { lineOf } from '@boxoffice/http';
import type { DataUse, Installation } from './installation.ts';

/** The words and options that followed a command's name. */
export interface Given {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** A command's findings; with a fault the exit status is 1. */
export interface Report {
  readonly kind: 'report';
  readonly wrong: boolean;
  readonly text: string;
  readonly json: object;
}

/** The result of a command: a report, a list, one record, or a sentence. */
export type Result = Report | readonly object[] | object | string;

export const isReport = (result: Result): result is Report =>
  typeof result === 'object' && 'kind' in result && result.kind === 'report';

/** A command of the operator's program. */
export interface Command {
  /** `clients create` */
  readonly name: string;
  /** The usage after the name: `INSTITUTION --name NAME --scopes a:read,b:write`. */
  readonly usage: string;
  readonly about: string;
  /** Required words after the name, in order. */
  readonly words?: readonly string[];
  /** Optional words after those. */
  readonly optionalWords?: readonly string[];
  readonly options?: ParseArgsOptionsConfig;
  /** How it treats a missing installation. */
  readonly data?: DataUse;
  run(installation: Installation, given: Given): Promise<Result>;
}

/** The command line is invalid, for the reason in the message. Exit status 2, with the usage. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** The option's text. @throws {Misuse} when it is absent */
export const required = ({ options }: Given, name: string): string => {
  const value = options[name];
  if (typeof value !== 'string' || value.trim() === '') throw new Misuse(`--${name} is missing`);
  return value;
};

/** The text of --name, normalised and with at most `longest` characters as in the interface. @throws {Misuse} */
export const nameOf = (given: Given, longest: number): string => {
  const name = lineOf(required(given, 'name'));
  if (name === '' || /\p{Cc}/u.test(name)) throw new Misuse('--name is blank or has control characters');
  if ([...name].length > longest) throw new Misuse(`--name has ${[...name].length} characters; at most ${longest} fit`);
  return name;
};

/** A comma-separated option as a list, each entry once; absent: the default. */
export const listOf = ({ options }: Given, name: string, otherwise: readonly string[] = []): string[] => {
  const value = options[name];
  if (typeof value !== 'string') return [...otherwise];
  const parts = value.split(',').map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
};
