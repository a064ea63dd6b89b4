import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePorts, waitUntil } from '@boxoffice/testkit';
import { HERE, MEMORY } from './processes.ts';

const NOBODY = 'http://127.0.0.1:9';

interface Engines {
  readonly mongodb: string;
  readonly amqp: string;
}

/** Builds the service and an authorizer into the directory, from the folders that images are made of. */
export function buildService(directory: string, name: string): Promise<void> {
  return succeed('sh', [join(HERE, 'deploy/build'), directory, 'authorizer', name]);
}

const succeed = async (
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> => {
  const child = spawn(program, words, { cwd: HERE, env: { ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${words[0]} ended with status ${status}`);
};

/** Starts what was built there as a container runs it, with its metrics and a database that nobody else has. */
export async function startBuilt(directory: string, name: string, { mongodb, amqp }: Engines) {
  const [port, operationsPort, authorizerPort] = await findFreePorts(3);
  const database = new URL(mongodb);
  database.pathname = `/bench_${randomUUID().slice(0, 8)}`;
  const env = {
    ...process.env,
    ...MEMORY,
    NODE_ENV: 'production',
    MONGODB_URL: database.href,
    AMQP_URL: amqp,
    SERVICE_ROOT_SECRET: randomUUID(),
    KEY_ENCRYPTION_KEY: randomUUID(),
    AUTHORIZER_URL: `http://127.0.0.1:${authorizerPort}`,
    ...{ ORDERS_URL: NOBODY, CATALOG_URL: NOBODY, CONTACTS_URL: NOBODY, TICKETS_URL: NOBODY, PAYMENTS_URL: NOBODY },
    LOG_LEVEL: 'error',
  };
  const operator = join(HERE, 'deploy/operator/src/main.ts');
  await succeed(process.execPath, ['--conditions=source', operator, 'topology', 'declare'], env);
  const run = (service: string, ports: Readonly<Record<string, string>>) =>
    spawn(join(directory, 'node'), ['--disable-warning=ExperimentalWarning', 'start.mjs', service], {
      cwd: directory,
      env: { ...env, ...ports },
      stdio: 'ignore',
    });
  const service = run(name, { PORT: `${port}`, OPERATIONS_PORT: `${operationsPort}` });
  const all = [service, run('authorizer', { PORT: `${authorizerPort}` })];
  const stop = async (): Promise<void> => {
    for (const child of all.filter(({ exitCode }) => exitCode === null)) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  };
  const isReady = async (): Promise<boolean> => {
    if (all.some(({ exitCode }) => exitCode !== null)) throw new Error(`${name} or its authorizer ended`);
    return fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  try {
    await waitUntil(isReady, { what: `${name} to be ready`, withinMs: 120_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: service.pid ?? 0, stop };
}
