// The smoke test: images, a composition of containers, and sales during scaling, crashes and replacement.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Act, demonstrate, sell } from './acts.ts';
import { beforeLastChange, checkOut } from './checkout.ts';
import { run } from './command.ts';
import { openComposition } from './composition.ts';
import { freePort } from './free-port.ts';
import { imageNames } from './images.ts';
import { ensureLocalBases, localBases } from './local-bases.ts';
import { type StandIn, startStandIn } from './mongodb-stand-in.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { buildAll, type Images, lookInto } from './prepare.ts';
import { createSteps, type Steps } from './steps.ts';
import { inColumns, tableOf } from './table.ts';

// npm run smoke

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const imageSettings = (current: Images['current']): Record<string, string> =>
  Object.fromEntries(imageNames.map((name) => [`${name.toUpperCase()}_IMAGE`, current[name]]));

/** Settings for the MongoDB stand-in; each act has its own databases, since the stand-in slows down as data grows. */
const standInSettings = ({ folder }: StandIn, act: string): Record<string, string> => ({
  MONGODB_IMAGE: localBases.mongodb,
  RABBITMQ_IMAGE: localBases.rabbitmq,
  MONGODB_SOCKET_DIR: folder,
  MONGODB_URL: `mongodb://mongodb:27017/${act}?directConnection=true`,
});

interface Play {
  readonly folder: string;
  readonly options: Options;
  readonly images: Images;
  readonly standIn: StandIn | undefined;
  readonly steps: Steps;
  readonly run: string;
}

/** Plays one act and removes its resources, also when the program is interrupted. */
const perform = async (name: string, act: (given: Act) => Promise<void>, play: Play): Promise<void> => {
  const { folder, options, images, standIn, steps, run: id } = play;
  const port = await freePort();
  const composition = await openComposition({
    folder,
    project: `boxoffice-smoke-${id}-${name}`,
    command: options.compose,
    files: ['docker-compose.yml', ...(standIn ? [join(folder, 'deploy/smoke/local/compose.yml')] : [])],
    env: {
      ...imageSettings(images.current),
      ...(standIn ? standInSettings(standIn, name) : {}),
      GATEWAY_PORT: `${port}`,
    },
  });
  const leave = async (): Promise<void> => {
    await composition.down();
    await standIn?.close();
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = (): void => void leave().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await act({ composition, baseUrl: `https://localhost:${port}`, options, images, steps, run: id });
  } catch (error) {
    // A failed step has been reported.
    if (!steps.failed) print(error instanceof Error ? error.message : String(error));
    print('Warnings and errors of the containers:');
    print(await composition.logs().catch(String));
    throw error;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    if (options.keep) print(`it still runs; ${composition.removal}`);
    else await composition.down();
  }
};

const smoke = async (options: Options): Promise<boolean> => {
  const id = Date.now().toString(36);
  const steps = createSteps(print);
  const now = await checkOut(options.revision);
  const before = await checkOut(options.from ?? (await beforeLastChange(now.revision)), now);
  let sizes: string[][] = [];
  let standIn: StandIn | undefined;
  try {
    if (options.localBases) await ensureLocalBases(print);
    const images = await buildAll(options, now, before, steps);
    sizes = await lookInto(images.current, steps);
    standIn = options.localBases ? await startStandIn(process.env.MONGO_SERVER) : undefined;
    const play = { folder: now.folder, options, images, standIn, steps, run: id };
    if (options.act !== 'sale') await perform('demo', demonstrate, play);
    if (options.act !== 'demo') await perform('sale', sell, play);
  } catch (error) {
    if (!steps.failed) throw error;
  } finally {
    // A composition that keeps running needs it.
    if (!options.keep) await standIn?.close();
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

const asked = (): Options | 'help' | undefined => {
  try {
    return readOptions(process.argv.slice(2)) ?? 'help';
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return undefined;
  }
};

const wanted = asked();
if (wanted === 'help') print(USAGE);
else if (wanted === undefined) process.exitCode = 2;
else process.exitCode = (await smoke(wanted).catch((error: Error) => print(error.stack ?? error.message))) ? 0 : 1;
