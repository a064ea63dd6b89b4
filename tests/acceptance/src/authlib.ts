import { spawnSync } from 'node:child_process';

/** Debian's own Python, which has Debian's Authlib, may stand behind another one on the PATH. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

let found: { readonly command: string | undefined } | undefined;

/** A Python with Authlib, requests and pika; undefined if this machine has none. TEST_PYTHON names another one. */
export const authlibPython = (env: Readonly<Record<string, string | undefined>> = process.env): string | undefined => {
  const has = (command: string): boolean =>
    spawnSync(command, ['-c', 'import authlib, pika, requests'], { stdio: 'ignore' }).status === 0;
  found ??= { command: (env.TEST_PYTHON ? [env.TEST_PYTHON] : CANDIDATES).find(has) };
  return found.command;
};
