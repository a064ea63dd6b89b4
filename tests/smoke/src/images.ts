import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findContainerEngine, formatColumns, isSuccessful, ROOT, run, runEngine } from './command.ts';

const folders: Readonly<Record<string, string>> = {
  gateway: 'gateway',
  authorizer: 'authorizer',
  ...Object.fromEntries(readdirSync(join(ROOT, 'services')).map((name) => [name, `services/${name}`])),
  operator: 'deploy/operator',
};

export const imageNames: readonly string[] = Object.keys(folders);

const buildOf = async (name: string, buildArgs: readonly string[]) => {
  const { version } = JSON.parse(await readFile(join(ROOT, String(folders[name]), 'package.json'), 'utf8'));
  const changed = (await run('git', ['status', '--porcelain'])) === '' ? '' : '-changed';
  const revision = `${(await run('git', ['rev-parse', 'HEAD'])).trim()}${changed}`;
  const own = [`SERVICE=${name}`, `VERSION=${version}`, `REVISION=${revision}`];
  const args = [...own, ...buildArgs].flatMap((one) => ['--build-arg', one]);
  return { args: ['-q', '-f', join(ROOT, 'deploy/Dockerfile'), ...args], image: `${name}:${version}` };
};

/** Builds an image of this working tree with docker-compose.yml's tag; `buildArgs`: each as NAME=VALUE. */
export async function buildImage(name: string, buildArgs: readonly string[]): Promise<string> {
  const { args, image } = await buildOf(name, buildArgs);
  const tag = `boxoffice/${image}`;
  // The default format of podman has no health check.
  const format = (await findContainerEngine()) === 'podman' ? ['--format', 'docker'] : [];
  await runEngine('build', ...format, ...args, '-t', tag, ROOT);
  return tag;
}

/** Whether a build can attach SBOM and provenance: by BuildKit in a container, or with the store of containerd. */
const canAttest = async (): Promise<boolean> => {
  if ((await findContainerEngine()) !== 'docker' || !(await isSuccessful('docker', ['buildx', 'version'])))
    return false;
  if (/^Driver: +docker-container$/m.test(await run('docker', ['buildx', 'inspect']))) return true;
  return (await run('docker', ['info', '-f', '{{.DriverStatus}}'])).includes('io.containerd.snapshotter');
};

/**
 * Pushes a built image to a registry (`HOST/PATH`), with an SBOM and its provenance (`docker buildx imagetools inspect`
 * shows them) if it can attest. Returns the name to pull.
 */
const pushImage = async (
  name: string,
  built: string,
  { registry, buildArgs, attests }: { registry: string; buildArgs: readonly string[]; attests: boolean },
): Promise<string> => {
  const { args, image } = await buildOf(name, buildArgs);
  const tag = `${registry.replace(/\/+$/, '')}/${image}`;
  if (attests) {
    const attestations = ['--sbom=true', '--provenance=mode=max'];
    await run('docker', ['buildx', 'build', ...attestations, '--push', ...args, '-t', tag, ROOT]);
  } else {
    await runEngine('tag', built, tag);
    await runEngine('push', '-q', tag);
  }
  return tag;
};

interface Contents {
  readonly megabytes: number;
  /** The size of the layer with the service and its dependencies; the other layers are the same for all. */
  readonly ownMegabytes: number;
  readonly packages: readonly string[];
  /** Unwanted contents: tests, sources, development tools, a shell. */
  readonly unwanted: readonly string[];
  readonly user: number;
}

/** Packages, or scopes of packages, that an image must not contain. `@swc/helpers` is no tool: fontkit runs with it. */
const TOOLS = [
  ...['typescript', 'jest', '@jest', '@swc/core', '@swc/jest', '@biomejs', 'dependency-cruiser', 'fast-check'],
  ...['supertest', 'playwright-core', 'pnpm', 'npm'],
];

/** Shells that an image must not contain. */
const SHELLS = ['sh', 'bash', 'dash', 'busybox'].flatMap((name) =>
  ['/bin/', '/usr/bin/', '/usr/local/bin/'].map((folder) => folder + name),
);

/** Runs inside the image, which has no shell. */
const INSPECTION = `
const fs = require('fs');
const packages = new Set(), unwanted = [];
const tools = new Set(${JSON.stringify(TOOLS)});
const walk = (dir, depth) => {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const path = dir + '/' + entry.name;
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) {
      const within = dir.split('/').at(-1);
      if (within === '@boxoffice') packages.add(entry.name);
      if (['test', 'tests', '__tests__'].includes(entry.name)) unwanted.push(path);
      const name = within.startsWith('@') ? within + '/' + entry.name : entry.name;
      if ((within === 'node_modules' || within.startsWith('@')) && tools.has(name)) unwanted.push(path);
      walk(path, depth + 1);
    } else if (/\\.(ts|mts|cts|map|test\\.js)$/.test(entry.name)) unwanted.push(path);
  }
};
walk('/app', 0);
packages.add(JSON.parse(fs.readFileSync('/app/package.json', 'utf8')).name.split('/')[1]);
for (const shell of ${JSON.stringify(SHELLS)}) if (fs.existsSync(shell)) unwanted.push(shell);
console.log(JSON.stringify({ packages: [...packages].sort(), unwanted, user: process.getuid() }));
`;

export async function inspectImage(tag: string): Promise<Contents> {
  const bare = ['--rm', '--network', 'none', '--read-only', '--cap-drop', 'ALL', '--entrypoint', '/usr/local/bin/node'];
  const inside = await runEngine('run', ...bare, tag, '-e', INSPECTION);
  const size = await runEngine('image', 'inspect', '-f', '{{.Size}}', tag);
  const layers = ['--human=false', '--no-trunc', '--format', '{{.Size}}\t{{.CreatedBy}}'];
  const history = await runEngine('history', ...layers, tag);
  const own = history.split('\n').find((line) => / in \/app ?$| \/app \/app/.test(line.trimEnd()));
  const megabytes = (bytes: string | undefined): number => Math.round(Number(bytes ?? 0) / 100_000) / 10;
  return { megabytes: megabytes(size), ownMegabytes: megabytes(own?.split('\t')[0]), ...JSON.parse(inside) };
}

/** Checks that an image contains nothing superfluous. @throws {Error} that names it */
export function checkContents(name: string, { unwanted, user, packages }: Contents): void {
  if (unwanted.length > 0) throw new Error(`${name} holds ${unwanted.slice(0, 10).join(', ')}`);
  if (user === 0) throw new Error(`${name} runs as root`);
  const others = packages.filter((one) => one !== name && one in folders);
  // The operator's program opens the stores of several services.
  if (name !== 'operator' && others.length > 0) throw new Error(`${name} holds ${others.join(', ')}`);
}

/** Makes the images that the command line names; returns the exit status. */
const makeImages = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      'build-arg': { type: 'string', multiple: true, default: [] },
      registry: { type: 'string' },
      push: { type: 'boolean', default: false },
    },
  });
  const { registry, push, 'build-arg': buildArgs } = values;
  if (push !== (registry !== undefined)) {
    process.stderr.write(
      '--registry HOST/PATH and --push go together: npm run images -- --registry HOST/PATH --push\n',
    );
    return 2;
  }

  const rows = [['image', 'MB', 'own MB', 'own packages']];
  const built = new Map<string, string>();
  for (const name of imageNames) {
    const tag = await buildImage(name, buildArgs);
    const contents = await inspectImage(tag);
    checkContents(name, contents);
    built.set(name, tag);
    rows.push([tag, `${contents.megabytes}`, `${contents.ownMegabytes}`, contents.packages.join(' ')]);
  }
  process.stdout.write(formatColumns(rows));

  // None is pushed unless all are as they should be.
  if (registry !== undefined) {
    const attests = await canAttest();
    for (const [name, tag] of built)
      process.stdout.write(`pushed ${await pushImage(name, tag, { registry, buildArgs, attests })}\n`);
    process.stdout.write(
      attests
        ? 'each with an SBOM and its provenance\n'
        : 'without SBOM and provenance: docker buildx with a builder of the driver docker-container attaches them\n',
    );
  }
  return 0;
};

// npm run images -- [--build-arg NAME=VALUE]… [--registry HOST/PATH --push]: builds every image of this working tree,
// with docker-compose.yml's tags, checks what is in them, and prints their sizes; then pushes them to a registry
if (import.meta.main)
  process.exitCode = await makeImages().catch(({ message }: Error) => {
    process.stderr.write(`${message}\n`);
    return 1;
  });
