import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';

/** The folder of each image's own package. */
export const folders = {
  gateway: 'gateway',
  authorizer: 'authorizer',
  catalog: 'services/catalog',
  contacts: 'services/contacts',
  orders: 'services/orders',
  tickets: 'services/tickets',
  events: 'services/events',
  pos: 'services/pos',
  operator: 'deploy/operator',
} as const;

export type ImageName = keyof typeof folders;

/** All images, in the order of the table. */
export const imageNames = Object.keys(folders) as ImageName[];

/** The version of a service in a checkout: that of its package. */
export const versionIn = async (folder: string, name: ImageName): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(folder, folders[name], 'package.json'), 'utf8'));
  return String(version);
};

export interface Build {
  /** The checkout that serves as build context. */
  readonly context: string;
  readonly name: ImageName;
  readonly tag: string;
  readonly revision: string;
  /** Further arguments of deploy/Dockerfile, each as NAME=VALUE. */
  readonly buildArgs: readonly string[];
}

/** Builds one image. @throws {Error} with the end of the engine's output */
export const buildImage = async ({ context, name, tag, revision, buildArgs }: Build): Promise<void> => {
  const own = [`SERVICE=${name}`, `VERSION=${await versionIn(context, name)}`, `REVISION=${revision}`];
  const args = [...own, ...buildArgs].flatMap((one) => ['--build-arg', one]);
  await run('docker', ['build', '-q', '-f', join(context, 'deploy/Dockerfile'), ...args, '-t', tag, context]);
};

/** The revision in an image's label; undefined if there is no such image. */
export const revisionOf = (tag: string): Promise<string | undefined> =>
  run('docker', ['image', 'inspect', '-f', '{{index .Config.Labels "org.opencontainers.image.revision"}}', tag]).then(
    (text) => text.trim(),
    () => undefined,
  );

/** The contents of an image and its size. */
export interface Contents {
  readonly megabytes: number;
  /** The size of the layer with the service and its dependencies; the other layers are the same for all. */
  readonly ownMegabytes: number;
  /** The project's own packages in it. */
  readonly packages: readonly string[];
  /** Unwanted contents: tests, sources, development tools, a shell. */
  readonly unwanted: readonly string[];
  readonly user: number;
  readonly labels: Readonly<Record<string, string>>;
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

/** Inspects an image. */
export const contentsOf = async (tag: string): Promise<Contents> => {
  const inside = await run('docker', [
    'run',
    '--rm',
    '--network',
    'none',
    '--read-only',
    '--cap-drop',
    'ALL',
    '--entrypoint',
    '/usr/local/bin/node',
    tag,
    '-e',
    INSPECTION,
  ]);
  const format = '{{.Size}}\t{{json .Config.Labels}}';
  const [size = '0', labels = '{}'] = (await run('docker', ['image', 'inspect', '-f', format, tag])).trim().split('\t');
  const history = await run('docker', [
    'history',
    '--human=false',
    '--no-trunc',
    '--format',
    '{{.Size}}\t{{.CreatedBy}}',
    tag,
  ]);
  const own = history.split('\n').find((line) => / in \/app ?$| \/app \/app/.test(line.trimEnd()));
  const megabytes = (bytes: string | undefined): number => Math.round(Number(bytes ?? 0) / 100_000) / 10;
  return {
    megabytes: megabytes(size),
    ownMegabytes: megabytes(own?.split('\t')[0]),
    labels: JSON.parse(labels),
    ...JSON.parse(inside),
  };
};
