import { spawnSync } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Debian's own Python, which has Debian's modules, may stand behind another one on the PATH. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

const found = new Map<string, string | undefined>();

/** A Python with these modules; undefined if this machine has none. TEST_PYTHON names another one. */
const pythonWith = (modules: string, env: Environment): string | undefined => {
  const has = (command: string): boolean =>
    spawnSync(command, ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0;
  if (!found.has(modules)) found.set(modules, (env.TEST_PYTHON ? [env.TEST_PYTHON] : CANDIDATES).find(has));
  return found.get(modules);
};

/** A Python with Authlib, requests and pika. */
export const authlibPython = (env: Environment = process.env): string | undefined =>
  pythonWith('authlib, pika, requests', env);

/** A Python with aiosmtpd. */
export const aiosmtpdPython = (env: Environment = process.env): string | undefined => pythonWith('aiosmtpd', env);
