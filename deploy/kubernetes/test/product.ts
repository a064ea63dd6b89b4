import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Json } from '../src/index.ts';
import { repository, type Surroundings } from './resources.ts';

/** A process of the product: a package with a main that listens. */
export interface Process {
  readonly name: string;
  readonly folder: string;
  readonly version: string;
}

const readVersion = (folder: string): string =>
  (JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as { version: string }).version;

const rows: readonly { readonly name: string }[] = JSON.parse(
  readFileSync(join(repository, 'libs/runtime/services.json'), 'utf8'),
);

/** Those of teams have files of their own. */
const folders = rows.map(({ name }) => (existsSync(join(repository, 'services', name)) ? `services/${name}` : name));

/** Every process of the product in this checkout. */
export const product: readonly Process[] = folders
  .filter((folder) => existsSync(join(repository, folder, 'src/main.ts')))
  .map((folder) => ({ name: folder.split('/').at(-1) ?? '', folder, version: readVersion(folder) }));

export const operatorVersion = readVersion('deploy/operator');

/** The processes' reports after a start of their mains with these surroundings. */
export interface Started {
  /** The variables that each process was given and did not read. */
  readonly unread: Readonly<Record<string, readonly string[]>>;
  /** The queues that each process consumes. */
  readonly queues: Readonly<Record<string, readonly string[]>>;
}

/**
 * Starts every process with the environment and Secret files of its Deployment, except the addresses to listen at.
 * @throws {Error} with the process's output when it refuses its settings
 */
export async function startDeployments(deployments: readonly Surroundings[]): Promise<Started> {
  const scratch = mkdtempSync(join(tmpdir(), 'boxoffice-kubernetes-'));
  const toFile = (path: string): string => join(scratch, path.replaceAll('/', '_'));
  const processes = deployments.map(({ name, container, env, files }) => {
    const pems = [];
    for (const [path, { key }] of files) {
      if (/\.(crt|key)$/.test(key)) pems.push([toFile(path), key]);
      else writeFileSync(toFile(path), getSecret(key));
    }
    const placed = Object.entries(env).map(([setting, value]) => [setting, files.has(value) ? toFile(value) : value]);
    const moved = Object.fromEntries(placed) as Record<string, string>;
    for (const setting of ['PORT', 'GATEWAY_PORT', 'GATEWAY_HTTP_PORT', 'OPERATIONS_PORT'])
      if (setting in moved) moved[setting] = '0';
    if ('BOXOFFICE_DATA_DIR' in moved) moved.BOXOFFICE_DATA_DIR = scratch;
    return { name, folder: findFolder(container), pems, env: { ...moved, HOST: '127.0.0.1' } };
  });
  try {
    const script = fileURLToPath(new URL('./starts.mjs', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=source', '--disable-warning=ExperimentalWarning', script], {
      // Reuses the compile cache.
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(repository, '.cache/compiled') },
    });
    child.stdin.end(JSON.stringify({ repository: pathToFileURL(repository), scratch, processes }));
    const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const answer = out.split('\n').find((line) => line.startsWith('{"unread"'));
    if (answer === undefined) throw new Error(`a process does not start: ${complaints || out}`);
    return JSON.parse(answer) as Started;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Values for the keys of Secrets and ConfigMaps that pass the settings' validation. */
const getSecret = (key: string): string =>
  ({
    'mongodb-url': 'mongodb://127.0.0.1:1/boxoffice',
    'amqp-url': 'amqp://127.0.0.1:1',
    'mail-url': 'smtp://127.0.0.1:1',
    'services.json': '[{"name": "loyalty", "domains": ["loyalty"]}]',
  })[key] ?? 'a-secret-of-some-length';

/** The folder of the process in a container's image. */
const findFolder = ({ image }: Json): string => {
  const name = /([^/]+):[^:]*$/.exec(String(image))?.[1];
  const found = product.find((one) => one.name === name);
  if (!found) throw new Error(`${image} is the image of no process`);
  return found.folder;
};
