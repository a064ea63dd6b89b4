// The smoke test: images, a composition of containers, and sales during scaling, crashes and replacement.

import { rm } from 'node:fs/promises';
import { freePort } from '@boxoffice/testkit';
import { beforeLastChange, checkOut } from './checkout.ts';
import { run } from './command.ts';
import { openComposition } from './composition.ts';
import { imageNames } from './images.ts';
import { type Options, readOptions, type ScenarioName, USAGE } from './options.ts';
import { buildAll, type Images, inspectAll } from './prepare-images.ts';
import { scenarios } from './scenarios.ts';
import { createSteps, type Steps } from './steps.ts';
import { inColumns, tableOf } from './table.ts';

// npm run smoke

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const imageSettings = (current: Images['current']): Record<string, string> =>
  Object.fromEntries(imageNames.map((name) => [`${name.toUpperCase()}_IMAGE`, current[name]]));

interface Prepared {
  /** The checkout with docker-compose.yml. */
  readonly folder: string;
  readonly options: Options;
  readonly images: Images;
  readonly steps: Steps;
  readonly run: string;
}

/** Runs one scenario and removes its resources, also when the program is interrupted. */
const runScenario = async (name: ScenarioName, prepared: Prepared): Promise<void> => {
  const { folder, options, images, steps, run: id } = prepared;
  const port = await freePort();
  const composition = await openComposition({
    folder,
    project: `boxoffice-smoke-${id}-${name}`,
    command: options.compose,
    files: ['docker-compose.yml', ...options.composeFiles],
    env: { ...imageSettings(images.current), GATEWAY_PORT: `${port}` },
  });
  const remove = async (): Promise<void> => {
    await composition.down();
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = (): void => void remove().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await scenarios[name]({ composition, baseUrl: `https://localhost:${port}`, options, images, steps, run: id });
  } catch (error) {
    // A failed step has been reported.
    if (!steps.failed) print(error instanceof Error ? error.message : String(error));
    print('Warnings and errors of the containers:');
    print(await composition.logs().catch(String));
    throw error;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    if (options.keep) print(`The composition keeps running. To remove it: ${composition.removal}`);
    else await composition.down();
  }
};

const smoke = async (options: Options): Promise<boolean> => {
  const id = Date.now().toString(36);
  const steps = createSteps(print);
  const now = await checkOut(options.revision);
  const before = await checkOut(options.from ?? (await beforeLastChange(now.revision)), now);
  let sizes: string[][] = [];
  try {
    const images = await buildAll(options, now, before, steps);
    sizes = await inspectAll(images.current, steps);
    for (const name of options.scenarios)
      await runScenario(name, { folder: now.folder, options, images, steps, run: id });
  } catch (error) {
    if (!steps.failed) throw error;
  } finally {
    if (!options.keep) for (const { folder } of [now, before]) await rm(folder, { recursive: true, force: true });
  }
  print('');
  for (const line of inColumns(sizes)) print(line);
  print('');
  for (const line of tableOf(steps.rows)) print(line);
  const engine = await run('docker', ['version', '-f', 'engine {{.Server.Version}}, {{.Server.Os}}/{{.Server.Arch}}']);
  print(`\n${engine.trim()}`);
  return !steps.failed;
};

/** The options, `help` on a request for it, undefined when an argument is wrong. */
const parse = (): Options | 'help' | undefined => {
  try {
    return readOptions(process.argv.slice(2)) ?? 'help';
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return undefined;
  }
};

const options = parse();
if (options === 'help') print(USAGE);
else if (options === undefined) process.exitCode = 2;
else process.exitCode = (await smoke(options).catch((error: Error) => print(error.stack ?? error.message))) ? 0 : 1;
