import { createHash } from 'node:crypto';
import type { Checkout } from './checkout.ts';
import { buildImage, contentsOf, type ImageName, imageNames, revisionOf, versionIn } from './images.ts';
import type { Options } from './options.ts';
import type { Steps } from './steps.ts';

/** The images under test. */
export interface Images {
  readonly current: Readonly<Record<ImageName, string>>;
  /** The orders image of the other revision. */
  readonly other: string;
}

/** Tells images of other base images apart in their tags; empty for the public ones. */
const markOf = (buildArgs: readonly string[]): string =>
  buildArgs.length === 0 ? '' : `-${createHash('sha256').update(buildArgs.join('\n')).digest('hex').slice(0, 8)}`;

/** The image of a checkout, built unless an earlier run has built it. */
const imageOf = async (
  name: ImageName,
  { folder, revision }: Checkout,
  buildArgs: readonly string[],
): Promise<string> => {
  const version = `${await versionIn(folder, name)}-${revision.slice(0, 10)}${markOf(buildArgs)}`;
  const tag = `boxoffice-smoke/${name}:${version}`;
  if ((await revisionOf(tag)) !== revision) await buildImage({ context: folder, name, tag, revision, buildArgs });
  return tag;
};

/** Builds the missing images. @throws {Error} when a build fails */
export const buildAll = async (
  { buildArgs }: Options,
  now: Checkout,
  before: Checkout,
  steps: Steps,
): Promise<Images> => {
  const current: Partial<Record<ImageName, string>> = {};
  let other = '';
  await steps.step('images', async () => {
    for (const name of imageNames) current[name] = await imageOf(name, now, buildArgs);
    return `${imageNames.length} of revision ${now.revision.slice(0, 10)}`;
  });
  await steps.step('the other version of orders', async () => {
    other = await imageOf('orders', before, buildArgs);
    return `of revision ${before.revision.slice(0, 10)}`;
  });
  return { current: current as Record<ImageName, string>, other };
};

/** Checks that images contain nothing superfluous; returns the table of sizes. */
export const inspectAll = async (current: Images['current'], steps: Steps): Promise<string[][]> => {
  const sizes: string[][] = [['image', 'MB', 'own MB', 'version', 'own packages']];
  await steps.step('what is in the images', async () => {
    for (const name of imageNames) {
      const { megabytes, ownMegabytes, packages, unwanted, user, labels } = await contentsOf(current[name]);
      const version = String(labels['org.opencontainers.image.version']);
      sizes.push([name, `${megabytes}`, `${ownMegabytes}`, version, packages.join(' ')]);
      if (unwanted.length > 0) throw new Error(`${name} holds ${unwanted.slice(0, 10).join(', ')}`);
      if (user === 0) throw new Error(`${name} runs as root`);
      const others = packages.filter((one) => one !== name && (imageNames as string[]).includes(one));
      // The operator's program opens the stores of several services.
      if (name !== 'operator' && others.length > 0) throw new Error(`${name} holds ${others.join(', ')}`);
    }
    return 'each service alone; no tests, types, tools or shell; no root';
  });
  return sizes;
};
