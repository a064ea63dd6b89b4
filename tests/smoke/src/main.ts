// The smoke test: images, a composition of containers, and purchases there.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '@boxoffice/client';
import { createPosClient } from '@boxoffice/client/pos';
import { type Address, createFetch, findFreePort, type WaitOptions, waitUntil } from '@boxoffice/testkit';
import { findContainerEngine, isSuccessful, run, runEngine, runStep } from './command.ts';
import { buildImage, checkContents, imageNames, inspectImage } from './images.ts';

interface Demo {
  readonly baseUrl: string;
  readonly caFile: string;
  readonly clients: readonly { name: string; institution: string; clientId: string; clientSecret: string }[];
  readonly pointsOfSale: readonly { serviceHost: string; institution: string }[];
  readonly fixtures: Readonly<Record<string, Record<string, { productId: string; performanceId: string }>>>;
}

const waiting = (what: string): WaitOptions => ({ what, withinMs: 30_000, everyMs: 200 });

const numberedShow = ({ fixtures }: Demo): { readonly productId: string; readonly performanceId: string } => {
  const found = fixtures.opera?.numbered;
  if (!found) throw new Error('demo.json has no numbered show of opera');
  return found;
};

/** A client buys two places, pays, reads its tickets, and cancels until all is settled. Returns a summary. */
const purchaseA = async (address: Address, demo: Demo): Promise<string> => {
  const full = demo.clients.find(({ name, institution }) => name === 'full' && institution === 'opera');
  if (!full) throw new Error('demo.json has no client full of opera');
  const { clientId, clientSecret } = full;
  const client = createClient({ baseUrl: address.baseUrl, fetch: createFetch(address), clientId, clientSecret });

  const { performanceId } = numberedShow(demo);
  const { prices } = await client.getPerformance({ path: { performanceId } });
  const [price] = prices;
  if (!price) throw new Error(`${performanceId} has no price`);
  const { seatCategoryId, tariffId } = price;
  const order = await client.createOrder({
    body: { items: [{ performanceId, seatCategoryId, tariffId, quantity: 2 }] },
  });
  const path = { orderId: order.id };
  await client.addPayment({ path, body: { method: 'card', amount: order.due, status: 'captured' } });
  const { state } = await client.getOrder({ path });
  if (state !== 'confirmed') throw new Error(`the order is ${state}`);
  await client.cancelOrder({ path, body: { reason: 'smoke test' } });
  const { ticketsCancelled, placesReleased } = await waitUntil(
    async () => {
      const { cancellation } = await client.getOrder({ path });
      return cancellation?.settledAt ? cancellation : undefined;
    },
    waiting(`the cancellation of ${order.id} to be settled`),
  );
  if (ticketsCancelled !== 2 || placesReleased !== 2)
    throw new Error(`${ticketsCancelled} tickets cancelled and ${placesReleased} places released, not 2 and 2`);
  return 'held 2, paid, confirmed; cancelled: 2 tickets, 2 places released';
};

/** A visitor of the opera's shop buys two places as a guest, reads the barcodes, and cancels. Returns a summary. */
const purchaseB = async (address: Address, demo: Demo): Promise<string> => {
  const pointOfSale = demo.pointsOfSale.find(({ institution }) => institution === 'opera');
  if (!pointOfSale) throw new Error('demo.json has no point of sale of opera');
  const { serviceHost } = pointOfSale;
  const visitor = createPosClient({ baseUrl: address.baseUrl, fetch: createFetch(address), serviceHost });

  const { performances } = await visitor.viewProduct({ path: { id: numberedShow(demo).productId } });
  const [evening] = performances;
  const section = evening?.seatCategories.find(({ free }) => free >= 2);
  const price = section?.prices[0];
  if (!evening || !section || !price) throw new Error('two places of the numbered show are not on sale');
  await visitor.addToCart({
    body: { performanceId: evening.id, seatCategoryId: section.id, tariffId: price.tariffId, quantity: 2 },
  });
  const contact = { firstName: 'Ana', lastName: 'Martin', email: 'ana.martin@example.org' };
  const { id } = await visitor.checkOut({ body: { contact, paymentMethod: 'simulated', paymentToken: 'ok' } });
  await waitUntil(
    async () => {
      const { items } = await visitor.getOwnOrder({ path: { id } });
      return Object.values(items).every(({ barcode }) => Boolean(barcode));
    },
    waiting(`the barcodes of ${id}`),
  );
  const { state } = await visitor.cancelOwnOrder({ path: { id }, body: {} });
  if (state !== 'cancelled') throw new Error(`the order is ${state} after its cancellation`);
  return 'cart of 2, checked out as a guest, 2 barcodes; cancelled';
};

const readDocumentation = async (address: Address): Promise<string> => {
  const fetch = createFetch(address);
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${address.baseUrl}${path}`);
    if (response.status !== 200) throw new Error(`${path} is answered ${response.status}`);
    return response.text();
  };
  await read('/docs/errors');
  await read('/docs/client');
  const files = [...(await read('/docs')).matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  for (const file of files) await read(file);
  if (files.length === 0) throw new Error('the reference loads no files');
  return `two guides, and the reference with ${files.length} files`;
};

interface CompositionOptions {
  readonly project: string;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The program that reads the files, such as `docker compose`. */
  readonly command: string;
}

/** The programs that read a Compose file, by engine. docker-compose reaches podman by its socket, at DOCKER_HOST. */
const COMPOSE = {
  docker: ['docker compose', 'docker-compose'],
  podman: ['podman compose', 'docker-compose', 'podman-compose'],
} as const;

const installedCommand = async (): Promise<string> => {
  const commands = COMPOSE[await findContainerEngine()];
  for (const command of commands) {
    const [program, ...words] = command.split(' ');
    if (program && (await isSuccessful(program, [...words, 'version']))) return command;
  }
  throw new Error(`no Compose is installed: install one of ${commands.join(', ')}`);
};

/** Describes docker-compose.yml, under a name of its own, on this machine's engine, without starting it. */
const openComposition = (options: CompositionOptions) => {
  const { project, files, command } = options;
  // The older command sets the project's name for its files only if the environment has it.
  const env = { ...options.env, COMPOSE_PROJECT_NAME: project };
  const [program = '', ...first] = command.split(' ');
  const given = [...first, '-p', project, ...files.flatMap((file) => ['-f', file])];
  const compose = (...args: readonly string[]) => run(program, [...given, ...args], { env });
  const containerOf = async (service: string): Promise<string> => {
    const filters = [`project=${project}`, `service=${service}`, 'oneoff=False'];
    const labels = filters.flatMap((label) => ['--filter', `label=com.docker.compose.${label}`]);
    return (await runEngine('ps', '-a', '-q', '--no-trunc', ...labels)).trim();
  };
  return {
    command,
    up: async () => void (await compose('up', '-d', '--no-build')),
    /** Waits for a one-shot container. @throws {Error} when it fails */
    async finished(service: string) {
      let state = '';
      const hasExited = async (): Promise<boolean> => {
        const id = await containerOf(service);
        state = (await runEngine('inspect', '-f', '{{.State.Status}} {{.State.ExitCode}}', id)).trim();
        return state.startsWith('exited');
      };
      await waitUntil(hasExited, { what: `${service} to end`, withinMs: 300_000, everyMs: 500 });
      if (state !== 'exited 0') throw new Error(`${service}: ${state}`);
    },
    file: async (service: string, path: string) =>
      run('sh', [
        '-c',
        '"$1" cp "$2" - | tar -xO',
        'sh',
        await findContainerEngine(),
        `${await containerOf(service)}:${path}`,
      ]),
    /** Runs an operator command; returns its output. */
    operator: (...words: readonly string[]) => compose('run', '--rm', '--no-deps', '-T', 'operator', ...words),
    /** The warnings and errors in the containers' logs; of logs in another format, the last lines. */
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
the Docker engine or podman of this machine; a partner and a visitor of the web shop each buy two places through the gateway, and
cancel. Exit status 1: a step failed.

  --build-arg NAME=VALUE an argument of deploy/Dockerfile, such as BUILD_BASE and BASE for base images of your own;
                         may be repeated
  --compose-file FILE    a file that changes the composition, for example for a MongoDB of your own; may be repeated
  --compose COMMAND      such as "docker compose" or "podman-compose"; default: the first that is installed
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
  const command = values.compose ?? (await installedCommand());
  await runStep('images', async () => {
    const sizes: string[] = [];
    for (const name of imageNames) {
      const contents = await inspectImage(await buildImage(name, values['build-arg']));
      checkContents(name, contents);
      sizes.push(`${name} ${contents.megabytes} MB`);
    }
    return `each service alone; no tests, types, tools or shell; no root: ${sizes.join(', ')}`;
  });
  const project = `boxoffice-smoke-${Date.now().toString(36)}`;
  const composition = openComposition({
    project,
    command,
    files: ['docker-compose.yml', ...values['compose-file'].map((file) => resolve(file))],
    env: { GATEWAY_PORT: `${await findFreePort()}` },
  });
  const stopComposition = (): void => void composition.down().finally(() => process.exit(130));
  process.once('SIGINT', stopComposition).once('SIGTERM', stopComposition);
  try {
    await runStep('one command', async () => {
      await composition.up();
      await composition.finished('demo');
      return 'every container healthy, demo data present';
    });
    const demo: Demo = JSON.parse(await composition.file('demo', '/data/demo.json'));
    const address = { baseUrl: demo.baseUrl, ca: await composition.file('demo', demo.caFile) };
    await runStep('purchase and cancellation, family A', () => purchaseA(address, demo));
    await runStep('purchase and cancellation, family B', () => purchaseB(address, demo));
    await runStep('documentation', () => readDocumentation(address));
    await runStep('dead letters, by the operator', async () => {
      const letters = JSON.parse(await composition.operator('dead-letters', 'list', '--json'));
      if (letters.length > 0) throw new Error(`${letters.length} dead letters`);
      return 'none';
    });
  } catch (error) {
    process.stdout.write(`Warnings and errors of the containers:\n${await composition.complaints().catch(String)}\n`);
    throw error;
  } finally {
    process.off('SIGINT', stopComposition).off('SIGTERM', stopComposition);
    if (values.keep) process.stdout.write(`To remove it: ${composition.command} -p ${project} down --volumes\n`);
    else await composition.down();
  }
};

if (values.help) process.stdout.write(USAGE);
else
  await smoke().catch(({ message }: Error) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  });
