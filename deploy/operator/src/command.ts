import type { ParseArgsOptionsConfig } from 'node:util';
import type { DataUse, Installation } from './installation.ts';

/** The words and options that followed a command's name. */
export interface Given {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** What a command found, which may be that something is wrong: then the exit status is 1. */
export interface Report {
  readonly kind: 'report';
  readonly wrong: boolean;
  readonly text: string;
  readonly json: object;
}

/** What a command answers: a report, a list, one record, or a sentence. */
export type Result = Report | readonly object[] | object | string;

export const isReport = (result: Result): result is Report =>
  typeof result === 'object' && 'kind' in result && result.kind === 'report';

/** One thing that an operator can do. */
export interface Command {
  /** `clients create` */
  readonly name: string;
  /** What follows the name: `INSTITUTION --name NAME --scopes a:read,b:write`. */
  readonly usage: string;
  readonly about: string;
  /** Words that must follow the name, in their order. */
  readonly words?: readonly string[];
  /** The words that may follow those. */
  readonly optionalWords?: readonly string[];
  readonly options?: ParseArgsOptionsConfig;
  /** What it does where there is no installation. */
  readonly data?: DataUse;
  run(installation: Installation, given: Given): Promise<Result>;
}

/** What was typed is no command; the message says why. Exit status 2, and the usage is told. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** The option's text. @throws {Misuse} when it is absent */
export const required = ({ options }: Given, name: string): string => {
  const value = options[name];
  if (typeof value !== 'string' || value.trim() === '') throw new Misuse(`--${name} is missing`);
  return value;
};

/** The text of --name, at most so many characters: as many as the interface takes. @throws {Misuse} */
export const nameOf = (given: Given, longest: number): string => {
  const name = required(given, 'name');
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
