import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeLastChange, type Checkout, checkOut } from './checkout.ts';
import { run } from './command.ts';
import { type Composition, openComposition } from './composition.ts';
import { freePort } from './free-port.ts';
import { buildImage, contentsOf, type ImageName, imageNames, revisionOf, versionIn } from './images.ts';
import { ensureLocalBases, localBases } from './local-bases.ts';
import { startStandIn } from './mongodb-stand-in.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { killOne, replaceAll, type Stage, scaleUp } from './orders.ts';
import { type Demo, purchaseA, purchaseB } from './purchases.ts';
import { createSteps, type Steps } from './steps.ts';
import { inColumns, tableOf } from './table.ts';

// npm run smoke

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Images {
  readonly current: Readonly<Record<ImageName, string>>;
  /** Orders of the other revision. */
  readonly other: string;
}

/** The image of a checkout, built if it is not there from an earlier run; others of the same version stay as they are. */
const imageOf = async (name: ImageName, { folder, revision }: Checkout, local: boolean): Promise<string> => {
  const version = `${await versionIn(folder, name)}-${revision.slice(0, 10)}`;
  const tag = `boxoffice-smoke${local ? '-local' : ''}/${name}:${version}`;
  const build = { context: folder, name, tag, revision, localBases: local };
  if ((await revisionOf(tag)) !== revision) await buildImage(build);
  return tag;
};

const buildAll = async (
  { localBases: local }: Options,
  now: Checkout,
  before: Checkout,
  steps: Steps,
): Promise<Images> => {
  const current: Partial<Record<ImageName, string>> = {};
  let other = '';
  await steps.step('images', async () => {
    for (const name of imageNames) current[name] = await imageOf(name, now, local);
    return `${imageNames.length} of revision ${now.revision.slice(0, 10)}`;
  });
  await steps.step('the other version of orders', async () => {
    other = await imageOf('orders', before, local);
    return `of revision ${before.revision.slice(0, 10)}`;
  });
  return { current: current as Record<ImageName, string>, other };
};

/** Nothing in an image that it does not need; answers the table of sizes. */
const lookInto = async (current: Images['current'], steps: Steps): Promise<string[][]> => {
  const sizes: string[][] = [['image', 'MB', 'own MB', 'version', 'our packages in it']];
  await steps.step('what is in the images', async () => {
    for (const name of imageNames) {
      const { megabytes, ownMegabytes, packages, unwanted, user, labels } = await contentsOf(current[name]);
      const version = String(labels['org.opencontainers.image.version']);
      sizes.push([name, `${megabytes}`, `${ownMegabytes}`, version, packages.join(' ')]);
      if (unwanted.length > 0) throw new Error(`${name} holds ${unwanted.slice(0, 10).join(', ')}`);
      if (user === 0) throw new Error(`${name} runs as root`);
      const others = packages.filter((one) => one !== name && (imageNames as string[]).includes(one));
      // The operator's program works on the stores of several services.
      if (name !== 'operator' && others.length > 0) throw new Error(`${name} holds ${others.join(', ')}`);
    }
    return 'each service alone; no tests, types, tools or shell; no root';
  });
  return sizes;
};

const imageSettings = (current: Images['current']): Record<string, string> =>
  Object.fromEntries(imageNames.map((name) => [`${name.toUpperCase()}_IMAGE`, current[name]]));

/** The last lines of what containers printed, for who has to find out. */
const explain = async (composition: Composition): Promise<void> => {
  print(await composition.logs().catch(String));
};

const play = async (stage: Stage, images: Images, steps: Steps): Promise<void> => {
  const { composition, door, demo } = stage;
  await steps.step('purchase and cancellation, family A', () => purchaseA(door, demo));
  await steps.step('purchase and cancellation, family B', () => purchaseB(door, demo));
  await steps.step('orders scaled to 3', () => scaleUp(stage));
  await steps.step('one of 3 killed', () => killOne(stage));
  await steps.step('3 replaced by the other version', () => replaceAll(stage, images.other, 'back'));
  await steps.step('3 replaced by this version', () => replaceAll(stage, images.current.orders, 'forth'));
  await steps.step('dead letters', async () => {
    const letters = JSON.parse(await composition.operator('dead-letters', 'list', '--json'));
    if (letters.length > 0) throw new Error(`${letters.length} dead letters`);
    return 'none';
  });
};

const smoke = async (options: Options): Promise<boolean> => {
  const begun = new Date();
  const name = `boxoffice-smoke-${begun.getTime().toString(36)}`;
  const steps = createSteps(print);
  const now = await checkOut(options.revision);
  const before = await checkOut(options.from ?? (await beforeLastChange(now.revision)), now);
  if (options.localBases) await ensureLocalBases(print);
  const images = await buildAll(options, now, before, steps);
  const sizes = await lookInto(images.current, steps);

  const standIn = options.localBases ? await startStandIn(process.env.MONGO_SERVER) : undefined;
  const port = await freePort();
  const composition = await openComposition({
    folder: now.folder,
    project: name,
    command: options.compose,
    files: ['docker-compose.yml', ...(standIn ? [join(now.folder, 'deploy/smoke/local/compose.yml')] : [])],
    env: {
      ...imageSettings(images.current),
      GATEWAY_PORT: `${port}`,
      ...(standIn
        ? {
            MONGODB_IMAGE: localBases.mongodb,
            RABBITMQ_IMAGE: localBases.rabbitmq,
            MONGODB_SOCKET_DIR: standIn.folder,
            MONGODB_URL: 'mongodb://mongodb:27017/boxoffice?directConnection=true',
          }
        : {}),
    },
  });
  const tidy = async (): Promise<void> => {
    if (options.keep) return print(`it still runs; ${composition.removal}`);
    await composition.down();
    await standIn?.close();
    for (const { folder } of [now, before]) await rm(folder, { recursive: true, force: true });
  };
  const interrupted = (): void => void tidy().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);

  try {
    await steps.step('one command', async () => {
      await composition.up();
      await composition.finished('demo');
      return 'every container healthy, demo data there';
    });
    const demo: Demo = JSON.parse(await composition.file('demo', '/data/demo.json'));
    const ca = await composition.file('demo', '/gateway/development-certificate.pem');
    await play({ composition, door: { demo, ca }, demo, options, run: begun.getTime().toString(36) }, images, steps);
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    await explain(composition);
  } finally {
    await tidy();
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
