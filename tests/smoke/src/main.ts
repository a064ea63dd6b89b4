// The smoke test: images, a composition of containers, and purchases there.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, waitUntil } from '@boxoffice/testkit';
import { run, step, succeeds } from './command.ts';
import { buildImage, checkContents, contentsOf, imageNames } from './images.ts';
import { type Demo, purchaseA, purchaseB, readDocumentation } from './purchases.ts';

/** docker-compose.yml, under a name of its own, on this machine's engine. */
interface Composition {
  /** Starts all services in order. */
  up(): Promise<void>;
  /** Waits for a one-shot container. @throws {Error} when it fails */
  finished(service: string): Promise<void>;
  /** Reads one file of a container, running or not. */
  file(service: string, path: string): Promise<string>;
  /** Runs an operator command; returns its output. */
  operator(...words: readonly string[]): Promise<string>;
  /** The warnings and errors in the containers' logs; of logs in another format, the last lines. */
  complaints(): Promise<string>;
  /** Removes the composition with its data. */
  down(): Promise<void>;
}

interface CompositionOptions {
  readonly project: string;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `docker compose` or `docker-compose`; undefined: the first that is installed. */
  readonly command: string | undefined;
}

const installedCommand = async (): Promise<string> =>
  (await succeeds('docker', ['compose', 'version'])) ? 'docker compose' : 'docker-compose';

/** Describes a composition without starting it. */
const openComposition = async (options: CompositionOptions): Promise<Composition> => {
  const { project, files } = options;
  // The older command sets the project's name for its files only if the environment has it.
  const env = { ...options.env, COMPOSE_PROJECT_NAME: project };
  const [program = 'docker', ...first] = (options.command ?? (await installedCommand())).split(' ');
  const given = [...first, '-p', project, ...files.flatMap((file) => ['-f', file])];
  const compose = (...args: readonly string[]) => run(program, [...given, ...args], { env });
  const containerOf = async (service: string): Promise<string> => {
    const filters = [`project=${project}`, `service=${service}`, 'oneoff=False'];
    const labels = filters.flatMap((label) => ['--filter', `label=com.docker.compose.${label}`]);
    return (await run('docker', ['ps', '-a', '-q', '--no-trunc', ...labels])).trim();
  };
  return {
    up: async () => void (await compose('up', '-d', '--no-build')),
    async finished(service) {
      let state = '';
      const hasExited = async (): Promise<boolean> => {
        const id = await containerOf(service);
        state = (await run('docker', ['inspect', '-f', '{{.State.Status}} {{.State.ExitCode}}', id])).trim();
        return state.startsWith('exited');
      };
      await waitUntil(hasExited, { what: `${service} to end`, withinMs: 300_000, everyMs: 500 });
      if (state !== 'exited 0') throw new Error(`${service}: ${state}`);
    },
    file: async (service, path) =>
      run('sh', ['-c', 'docker cp "$1" - | tar -xO', 'sh', `${await containerOf(service)}:${path}`]),
    operator: (...words) => compose('run', '--rm', '--no-deps', '-T', 'operator', ...words),
    async complaints() {
      const lines = (await compose('logs', '--no-color', '--tail', '3000')).split('\n');
      const complaints = lines.filter((line) => /"level":"(warn|error)"/.test(line));
      const others = lines.filter((line) => !line.includes('"level":') && !line.startsWith('rabbitmq'));
      return [...complaints.slice(-40), ...others.slice(-15)].map((line) => line.slice(0, 400)).join('\n');
    },
    down: async () =>
      void (await compose('--profile', 'operator', 'down', '--volumes', '--remove-orphans', '--timeout', '15')),
  };
};

const USAGE = `npm run smoke -- [options]

Builds the images of this working tree, checks what is in them, starts them with docker-compose.yml and the demo data on
the Docker engine of this machine; a partner and a visitor of the web shop each buy two places through the gateway, and
cancel. Exit status 1: a step failed.

  --build-arg NAME=VALUE an argument of deploy/Dockerfile, such as BUILD_BASE and BASE for base images of your own;
                         may be repeated
  --compose-file FILE    a file that changes the composition, for example for a MongoDB of your own; may be repeated
  --compose COMMAND      "docker compose" or "docker-compose"; default: the first that is installed
  --keep                 leaves the composition running and prints the command that removes it

The variables that docker-compose.yml reads, such as MONGODB_IMAGE and RABBITMQ_IMAGE, are taken from the environment.
`;

const { values } = parseArgs({
  options: {
    'build-arg': { type: 'string', multiple: true, default: [] },
    'compose-file': { type: 'string', multiple: true, default: [] },
    compose: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const smoke = async (): Promise<void> => {
  await step('images', async () => {
    const sizes: string[] = [];
    for (const name of imageNames) {
      const contents = await contentsOf(await buildImage(name, values['build-arg']));
      checkContents(name, contents);
      sizes.push(`${name} ${contents.megabytes} MB`);
    }
    return `each service alone; no tests, types, tools or shell; no root: ${sizes.join(', ')}`;
  });
  const project = `boxoffice-smoke-${Date.now().toString(36)}`;
  const composition = await openComposition({
    project,
    command: values.compose,
    files: ['docker-compose.yml', ...values['compose-file'].map((file) => resolve(file))],
    env: { GATEWAY_PORT: `${await freePort()}` },
  });
  const interrupted = (): void => void composition.down().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await step('one command', async () => {
      await composition.up();
      await composition.finished('demo');
      return 'every container healthy, demo data present';
    });
    const demo: Demo = JSON.parse(await composition.file('demo', '/data/demo.json'));
    const address = { baseUrl: demo.baseUrl, ca: await composition.file('demo', demo.caFile) };
    await step('purchase and cancellation, family A', () => purchaseA(address, demo));
    await step('purchase and cancellation, family B', () => purchaseB(address, demo));
    await step('documentation', () => readDocumentation(address));
    await step('dead letters, by the operator', async () => {
      const letters = JSON.parse(await composition.operator('dead-letters', 'list', '--json'));
      if (letters.length > 0) throw new Error(`${letters.length} dead letters`);
      return 'none';
    });
  } catch (error) {
    process.stdout.write(`Warnings and errors of the containers:\n${await composition.complaints().catch(String)}\n`);
    throw error;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    if (values.keep) process.stdout.write(`To remove it: docker compose -p ${project} down --volumes\n`);
    else await composition.down();
  }
};

if (values.help) process.stdout.write(USAGE);
else
  await smoke().catch(({ message }: Error) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  });
