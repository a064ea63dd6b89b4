import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, findFreePorts, openClient, requestAuthorization } from '@boxoffice/testkit';
import type { DemoCredentials } from '../src/demo/credentials.ts';

export function createTemporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'boxoffice-local-'));
}

export type Process = ReturnType<typeof startProcess>;

/** Starts a script of this package with these settings only; `under`: the command that runs it. */
export function startProcess(
  script: 'main.ts' | 'service.ts',
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  under: readonly string[] = [],
) {
  const path = new URL(`../src/${script}`, import.meta.url).pathname;
  const [command = '', ...words] = [...under, process.execPath, '--conditions=source', path, ...args];
  const child = spawn(command, words, {
    env: { PATH: String(process.env.PATH), ...settings },
  });
  const heard: string[] = [];
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard.push(text);
      for (const listener of listeners) listener();
    });
  }
  /** Its output so far. */
  const output = () => heard.join('');
  /** Its exit status, when it has ended. */
  const ended = once(child, 'close').then(([status]) => status as number | null);
  return {
    output,
    ended,
    /** Resolves when the output contains `text`; rejects if the process ends before. */
    printed: (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output().includes(text)) resolve();
        };
        listeners.add(look);
        look();
        ended.then((status) => reject(new Error(`ended with ${status} before it printed "${text}":\n${output()}`)));
      }),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}

export type Program = Awaited<ReturnType<typeof startProgram>>;

/** Starts the product on its own ports and data. */
export async function startProgram(
  settings: Readonly<Record<string, string>> = {},
  directory = createTemporaryDirectory(),
  under: readonly string[] = [],
) {
  const [port = 0, httpPort = 0] = await findFreePorts(2);
  const own = { BOXOFFICE_DATA_DIR: directory, GATEWAY_PORT: `${port}`, GATEWAY_HTTP_PORT: `${httpPort}` };
  const child = startProcess('main.ts', [], { ...own, ...settings }, under);
  const demo = (): DemoCredentials => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
  return { ...child, directory, httpPort, demo };
}

/** A client of the product that trusts only the certificate in `caFile`. */
export function createClient({ baseUrl, caFile }: DemoCredentials): Client {
  return openClient({ baseUrl, ca: readFileSync(caFile, 'utf8') });
}

/** The Authorization header of a demo client. @throws {Error} when there is no such client, or no token */
export async function requestDemoAuthorization(
  demo: DemoCredentials,
  institution: string,
  name: string,
): Promise<string> {
  const client = demo.clients.find((one) => one.institution === institution && one.name === name);
  if (client?.clientSecret === undefined) throw new Error(`demo.json has no client ${name} of ${institution}`);
  return requestAuthorization(createClient(demo), { ...client, clientSecret: client.clientSecret });
}
