import { getOwnMember } from '../members.ts';

/** The operator must fix it before the program can start. The message is one line for humans and names the setting. */
export class StartFault extends Error {
  override readonly name: string = 'StartFault';
}

/** The system's error code (`EADDRINUSE`), or the error's name. */
export function getErrorCode(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name ?? error);
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is no directory',
  EEXIST: 'a file of that name is in the way',
  ENOSPC: 'the disk is full',
};

/** A file system error in words: "permission denied". */
export function explain(error: unknown): string {
  return getOwnMember(sentences, getErrorCode(error)) ?? getErrorCode(error);
}

export const NO_ADDRESS: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

export function describeMissingAddress(host: string): string {
  return `${host} is no address of this machine`;
}

/** Prints why the program cannot start, and exits with status 1. */
export function failStart(error: unknown): never {
  process.stderr.write(`boxoffice cannot start: ${startErrorText(error)}\n`);
  process.exit(1);
}

/** The message of a program that cannot start: one line per fault, without a stack unless it is a bug. */
const startErrorText = (error: unknown): string => {
  if (error instanceof StartFault) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};
