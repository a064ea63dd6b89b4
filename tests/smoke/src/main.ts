// The smoke test: images, a composition of containers, and purchases there.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '@boxoffice/testkit';
import { step } from './command.ts';
import { openComposition } from './composition.ts';
import { buildImage, checkContents, contentsOf, imageNames } from './images.ts';
import { type Demo, purchaseA, purchaseB, readDocumentation } from './purchases.ts';

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
