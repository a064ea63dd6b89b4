import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { freePort } from '@boxoffice/testkit';
import type { Toxic } from './damage.ts';

const SCRIPT = new URL('../../../../../.ci/toxiproxy', import.meta.url).pathname;

/** Why there is no toxiproxy here; undefined if there is one, or Go to build it. */
export const lacksToxiproxy = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { TEST_TOXIPROXY: program, PATH = '' } = env;
  if (program !== undefined) return existsSync(program) ? undefined : `TEST_TOXIPROXY: there is no ${program}`;
  const go = [...PATH.split(':'), '/usr/local/go/bin'].some((folder) => existsSync(`${folder}/go`));
  return go ? undefined : 'there is neither TEST_TOXIPROXY, the program of toxiproxy, nor Go to build it';
};

/** The program: that of TEST_TOXIPROXY, else one that is built now. @throws {Error} when it cannot be built */
export const toxiproxyProgram = (env: Readonly<Record<string, string | undefined>>): string =>
  env.TEST_TOXIPROXY ?? execFileSync(SCRIPT, { encoding: 'utf8' }).trim();

/** The running program and its proxies. */
export interface Toxiproxy {
  /** Adds a proxy before `upstream` (`host:port`); returns the address at which it listens. */
  add(name: string, upstream: string): Promise<string>;
  /** A proxy that is not enabled closes its connections and accepts none. */
  enable(name: string, enabled: boolean): Promise<void>;
  poison(name: string, toxic: Toxic): Promise<void>;
  /** Removes all its toxics. */
  heal(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A proxy as the program describes it. */
interface Proxy {
  readonly listen: string;
  readonly toxics?: readonly { readonly name: string }[];
}

const START_MS = 20_000;

/** Starts the program. @throws {Error} when it does not answer */
export const startToxiproxy = async (program: string): Promise<Toxiproxy> => {
  const port = await freePort();
  const child = spawn(program, ['-host', '127.0.0.1', '-port', `${port}`], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  const call = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`toxiproxy ${method} ${path}: ${answer.status} ${text}`);
    return text;
  };
  const pathOf = (name: string) => `/proxies/${encodeURIComponent(name)}`;
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (child.pid !== undefined) await ended;
  };

  const until = Date.now() + START_MS;
  while (!(await call('GET', '/version').catch(() => undefined))) {
    if (child.exitCode !== null || Date.now() > until) {
      await close();
      throw new Error(`${program} does not answer on port ${port}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  return {
    async add(name, upstream) {
      const made = await call('POST', '/proxies', { name, upstream, listen: '127.0.0.1:0', enabled: true });
      return (JSON.parse(made) as Proxy).listen;
    },
    enable: async (name, enabled) => void (await call('POST', pathOf(name), { enabled })),
    poison: async (name, toxic) => void (await call('POST', `${pathOf(name)}/toxics`, toxic)),
    async heal(name) {
      const { toxics = [] } = JSON.parse(await call('GET', pathOf(name))) as Proxy;
      for (const toxic of toxics) await call('DELETE', `${pathOf(name)}/toxics/${encodeURIComponent(toxic.name)}`);
    },
    close,
  };
};
