import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '@boxoffice/runtime';
import type { DemoCredentials } from '../src/demo/credentials.ts';

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), 'boxoffice-local-'));

export const freePort = async (): Promise<number> => {
  const listening = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
  await listening.close();
  return listening.port;
};

/** A process of the product. */
export interface Process {
  /** Its output so far. */
  output(): string;
  /** Resolves when the output contains `text`; rejects if the process ends before. */
  printed(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Its exit status, when it has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts a script of this package with these settings only; `under`: the command that runs it. */
export const startProcess = (
  script: 'main.ts' | 'service.ts',
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  under: readonly string[] = [],
): Process => {
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
  const output = () => heard.join('');
  const ended = once(child, 'close').then(([status]) => status as number | null);
  return {
    output,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output().includes(text)) resolve();
        };
        listeners.add(look);
        look();
        ended.then((status) => reject(new Error(`ended with ${status} before it printed "${text}":\n${output()}`)));
      }),
    kill: (signal) => void child.kill(signal),
  };
};

/** A process of `npm start`. */
export interface Program extends Process {
  readonly directory: string;
  readonly httpPort: number;
  demo(): DemoCredentials;
}

/** Starts the product on its own ports and data. */
export const startProgram = async (
  settings: Readonly<Record<string, string>> = {},
  directory = temporaryDirectory(),
  under: readonly string[] = [],
): Promise<Program> => {
  const [port, httpPort] = [await freePort(), await freePort()];
  const own = { BOXOFFICE_DATA_DIR: directory, GATEWAY_PORT: `${port}`, GATEWAY_HTTP_PORT: `${httpPort}` };
  const child = startProcess('main.ts', [], { ...own, ...settings }, under);
  const demo = () => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
  return { ...child, directory, httpPort, demo };
};

export interface Reply {
  readonly status: number;
  // The body is untyped for the tests.
  readonly body: { readonly [member: string]: unknown; readonly data: Record<string, unknown> };
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body in chunks; each is sent when it is available. */
  readonly pieces?: readonly (string | Promise<string>)[];
}

/** Calls the product over HTTPS, trusting only the certificate in `caFile`. */
export const call = async (demo: DemoCredentials, path: string, sent: Sent = {}): Promise<Reply> => {
  const { method = 'GET', headers = {}, pieces = [] } = sent;
  const outgoing = request(`${demo.baseUrl}${path}`, { method, headers, ca: readFileSync(demo.caFile), agent: false });
  const answered = once(outgoing, 'response');
  for (const piece of pieces) outgoing.write(await piece);
  outgoing.end();
  const [incoming] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return { status: incoming.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
};

/** The Authorization header of a demo client. */
export const authorization = async (demo: DemoCredentials, institution: string, name: string): Promise<string> => {
  const client = demo.clients.find((one) => one.institution === institution && one.name === name);
  const form = { grant_type: 'client_credentials', client_id: client?.clientId, client_secret: client?.clientSecret };
  const { body } = await call(demo, '/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    pieces: [new URLSearchParams(form as Record<string, string>).toString()],
  });
  return `Bearer ${body.access_token}`;
};
