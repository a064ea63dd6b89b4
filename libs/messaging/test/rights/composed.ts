import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import amqp, { type ConfirmChannel } from 'amqplib';

const run = promisify(execFile);

/** A RabbitMQ node with the users and permissions of the composition. */
export interface Composed {
  /** The address for a user, in the composition's virtual host or another. */
  url(user: string, vhost?: string): string;
  stop(): Promise<void>;
}

/** Runs the composition's program for secrets and imports the definitions that it writes. */
export async function startComposedBroker(control: string): Promise<Composed> {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-rights-'));
  const secrets = join(directory, 'secrets');
  await mkdir(join(secrets, 'own'), { recursive: true });
  await run(process.execPath, [pathOf('deploy/compose/make-secrets.mjs')], { env: { SECRETS_DIR: secrets } });
  const node = join(directory, 'node');
  const broker = async (...words: string[]) => (await run(resolve(pathOf('.'), control), words)).stdout.trim();
  const { host } = new URL(await broker('start', node));
  await broker('import', node, join(secrets, 'rabbitmq/definitions.json'));
  const urls = new Map<string, string>();
  for (const user of [
    'authorizer',
    'catalog',
    'contacts',
    'orders',
    'tickets',
    'events',
    'payments',
    'pos',
    'operator',
  ])
    urls.set(user, await readFile(join(secrets, user, 'amqp-url'), 'utf8'));
  return {
    url(user, vhost) {
      const url = new URL(urls.get(user) ?? `amqp://${user}:${user}@${host}/boxoffice`);
      url.host = host;
      if (vhost !== undefined) url.pathname = `/${encodeURIComponent(vhost)}`;
      return url.toString();
    },
    async stop() {
      await broker('stop', node);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Attempts operations as a user, each on its own channel, since a refusal closes the channel. */
export async function connectAsUser(url: string) {
  const connection = await amqp.connect(url);
  connection.on('error', () => {});
  return {
    /** Resolves to the broker's verdict: 0 for success, else its reply code. */
    async attempt(act: (channel: ConfirmChannel) => Promise<unknown>): Promise<number> {
      const channel = await connection.createConfirmChannel();
      const refused = new Promise<number>((done) => {
        channel.on('error', (error: Error & { readonly code?: number }) => done(error.code ?? -1));
      });
      // A failure without a response, as of publishing, closes the channel with its code.
      const outcome = await Promise.race([
        refused,
        act(channel).then(
          () => 0,
          () => refused,
        ),
      ]);
      if (outcome === 0) await channel.close();
      return outcome;
    },
    close: () => connection.close(),
  };
}
