import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoCredentials } from '@boxoffice/local';
import {
  type Client,
  createAuthorizationRequest,
  findFreePorts,
  keepCookies,
  openClient,
  readCode,
  requestAuthorization,
  sendForm,
  waitUntil,
} from '@boxoffice/testkit';

type DemoClient = Required<DemoCredentials['clients'][number]>;

/** `demo.json` as `npm start` writes it; of its clients as if each had a secret. */
export type Demo = Omit<DemoCredentials, 'clients'> & { readonly clients: readonly DemoClient[] };

export type DemoApiUser = Demo['apiUsers'][number];

export type Product = Awaited<ReturnType<typeof startProduct>>;

const MAIN = new URL('../../../deploy/local/src/main.ts', import.meta.url).pathname;

/**
 * Starts what `npm start` starts, with its own ports and data directory, and waits until it is ready. `directory`: data
 * of an earlier run.
 */
export async function startProduct(settings: Readonly<Record<string, string>> = {}, directory?: string) {
  const started = await launch(settings, directory ?? (await newDirectory(settings)));
  const demo: Demo = JSON.parse(await readFile(join(started.directory, 'demo.json'), 'utf8'));
  return {
    ...started,
    demo,
    address: { baseUrl: demo.baseUrl, ca: await readFile(demo.caFile, 'utf8') },
  };
}

/** The same without demo data: nothing is in it. */
export async function startEmptyProduct(settings: Readonly<Record<string, string>> = {}) {
  const empty = { BOXOFFICE_DEMO: 'off', ...settings };
  return launch(empty, await newDirectory(empty));
}

const launch = async (settings: Readonly<Record<string, string>>, data: string) => {
  const [https, http] = await findFreePorts(2);
  const { MONGODB_URL: _mongodb, AMQP_URL: _amqp, ...inherited } = process.env;
  const child = spawn('node', ['--conditions=source', MAIN], {
    env: {
      ...inherited,
      BOXOFFICE_DATA_DIR: data,
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => printed.push(text));
  const output = () => printed.join('');
  const httpUrl = `http://127.0.0.1:${http}`;
  await ready(child, httpUrl, output);
  return {
    directory: data,
    port: Number(https),
    httpUrl,
    output,
    /** Ends the process; SIGKILL leaves the data as a crash would. Returns the exit status. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    },
    discard: () => rm(data, { recursive: true, force: true, maxRetries: 5 }),
  };
};

/** A new data directory. A whole run creates the demo data once, in TEST_DEMO_DATA; each product begins with a copy. */
const newDirectory = async (settings: Readonly<Record<string, string>>): Promise<string> => {
  const data = await mkdtemp(join(tmpdir(), 'boxoffice-product-'));
  const { TEST_DEMO_DATA: made } = process.env;
  const hasOther = ['MONGODB_URL', 'BOXOFFICE_DEMO'].some((name) => name in settings);
  if (made && !hasOther) await cp(made, data, { recursive: true });
  return data;
};

const ready = async (child: ChildProcess, httpUrl: string, output: () => string): Promise<void> => {
  const isReady = async (): Promise<boolean> => {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`the product ended with ${ended}:\n${output()}`);
    return fetch(`${httpUrl}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await waitUntil(isReady, { what: 'the product to be ready', withinMs: 600_000, everyMs: 50 });
};

export async function createDemoData(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  const product = await startProduct({}, directory);
  await product.stop();
}

/** The demo client of that name. @throws {Error} when demo.json has none */
export function findDemoClient(product: Pick<Product, 'demo'>, institution: string, name: string): DemoClient {
  const found = product.demo.clients.find((client) => client.institution === institution && client.name === name);
  if (!found) throw new Error(`demo.json has no client ${name} of ${institution}`);
  return found;
}

/** Requests a token for the demo client of that name; returns a client that sends it. */
export async function authoriseDemoClient(product: Product, institution: string, name: string): Promise<Client> {
  const authorization = await requestAuthorization(
    openClient(product.address),
    findDemoClient(product, institution, name),
  );
  return openClient(product.address, { headers: { authorization } });
}

export type SignedIn = Awaited<ReturnType<typeof signIn>>;

export async function signIn(
  product: Pick<Product, 'address'>,
  client: DemoClient,
  { login, password }: Pick<DemoApiUser, 'login' | 'password'>,
  scope?: string,
) {
  const { baseUrl } = product.address;
  const call = openClient(product.address);
  const browser = keepCookies(call, new URL(baseUrl).origin);
  const request = createAuthorizationRequest(client.clientId, `${baseUrl}/callback`, scope);
  const answer = await sendForm(browser, await browser(request.path), { login, password });
  const code = readCode(answer);
  if (!code) throw new Error(`${login} was not signed in: ${answer.status} ${answer.headers.location ?? answer.text}`);
  const body = new URLSearchParams(request.createExchange(code));
  const { status, body: tokens, text } = await call('/auth/token', { method: 'POST', body });
  if (status !== 200) throw new Error(`no token for ${login}: ${status} ${text}`);
  return {
    tokens,
    client: openClient(product.address, { headers: { authorization: `Bearer ${tokens.access_token}` } }),
  };
}
