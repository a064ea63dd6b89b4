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

/** The image of a checkout, built unless an earlier run has built it; other images of the same version stay. */
const imageOf = async (name: ImageName, { folder, revision }: Checkout, local: boolean): Promise<string> => {
  const version = `${await versionIn(folder, name)}-${revision.slice(0, 10)}`;
  const tag = `boxoffice-smoke${local ? '-local' : ''}/${name}:${version}`;
  const build = { context: folder, name, tag, revision, localBases: local };
  if ((await revisionOf(tag)) !== revision) await buildImage(build);
  return tag;
};

/** Builds the missing images. @throws {Error} when a build fails */
export const buildAll = async (
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

/** Checks that images contain nothing superfluous; returns the table of sizes. */
export const lookInto = async (current: Images['current'], steps: Steps): Promise<string[][]> => {
  const sizes: string[][] = [['image', 'MB', 'own MB', 'version', 'our packages in it']];
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
