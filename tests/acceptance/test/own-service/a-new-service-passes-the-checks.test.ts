import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeService } from '@boxoffice/codegen/new-service';
import { findKustomizeCommand, formatResourceName, renderFolder } from '@boxoffice/kubernetes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { run } from '../../src/checks.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;
const LEFT_OUT = /\/(?:node_modules|\.git|\.cache|data|dist)$/;
/** With a hyphen, which no identifier may have. */
const NAME = 'gift-cards';

let copy: string;
let written: readonly string[];

/** The repository with its packages, but for `node_modules`, which are links into those of the original. */
const copyRepository = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-new-service-'));
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  mkdirSync(join(folder, 'node_modules'));
  for (const entry of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', entry), join(folder, 'node_modules', entry));
  for (const modules of globSync('{gateway,authorizer,{libs,services,deploy,tests}/*}/node_modules', { cwd: ROOT }))
    cpSync(join(ROOT, modules), join(folder, modules), { recursive: true, verbatimSymlinks: true });
  return folder;
};

/** Runs a program of the workspace in the copy; returns its status, with what it printed if it failed. */
const inCopy = async (program: string, ...args: readonly string[]): Promise<readonly unknown[]> => {
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  const env = { PATH: path, NODE_OPTIONS: '--experimental-vm-modules --conditions=source' };
  const { status, printed } = await run('sh', ['-c', `cd '${copy}' && exec "$@"`, 'sh', program, ...args], {
    env,
    collect: true,
  });
  return status === 0 ? [0] : [status, printed];
};

beforeAll(async () => {
  copy = await copyRepository();
  written = writeService(copy, NAME);
  // What npm run setup does: the packages, which are among those of contacts, and the generated client.
  const [own, model] = [`services/${NAME}`, 'services/contacts'].map((folder) => join(copy, folder, 'node_modules'));
  cpSync(String(model), String(own), { recursive: true, verbatimSymlinks: true });
  expect(await inCopy('node', 'deploy/codegen/src/main.ts')).toEqual([0]);
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test('it is at most fifteen files, all of which are there', () => {
  expect(written.length).toBeLessThanOrEqual(15);
  expect(written.filter((path) => !existsSync(join(copy, path)))).toEqual([]);
});

test('its types, its format, its imports and its own tests pass', async () => {
  writeFileSync(
    join(copy, 'tsconfig.own.json'),
    JSON.stringify({ extends: './tsconfig.json', include: [`services/${NAME}`] }),
  );
  const paths = [`services/${NAME}`, 'deploy/compose'];
  expect(await inCopy('biome', 'check', '--write', '--vcs-enabled=false', ...paths)).toEqual([0]);
  expect(await inCopy('tsc', '--noEmit', '-p', 'tsconfig.own.json')).toEqual([0]);
  expect(await inCopy('depcruise', '--config', '.dependency-cruiser.mjs', `services/${NAME}`)).toEqual([0]);
  expect(await inCopy('node', 'node_modules/jest/bin/jest.js', '--rootDir', copy, `services/${NAME}`)).toEqual([0]);
});

test('the composition and Kubernetes have it, and the lock file its packages', () => {
  const read = (path: string) => readFileSync(join(copy, path), 'utf8');
  const { services, volumes } = parse(read(`deploy/compose/${NAME}.yml`));
  expect(Object.keys(services)).toEqual(['secrets', NAME]);
  expect(Object.keys(volumes)).toEqual([`secrets-${NAME}`]);
  const { importers } = parse(read('pnpm-lock.yaml'));
  const { dependencies } = JSON.parse(read(`services/${NAME}/package.json`));
  expect(Object.keys(importers[`services/${NAME}`].dependencies)).toEqual(Object.keys(dependencies));
  expect(JSON.parse(read('deploy/compose/broker-rights.json'))).toContainEqual(
    expect.objectContaining({ user: NAME, read: String.raw`^(${NAME}\.facts\.v1)$` }),
  );
  if (!findKustomizeCommand()) return;
  const overlay = join(copy, 'deploy/kubernetes/overlays/own');
  mkdirSync(overlay);
  writeFileSync(join(overlay, 'kustomization.yaml'), 'resources: [../../base]\ncomponents: [../../services]\n');
  expect(renderFolder(overlay).map(formatResourceName)).toEqual(
    expect.arrayContaining([`Deployment/${NAME}`, `Service/${NAME}`]),
  );
});

test.each([
  ['Loyalty', /^"Loyalty" is no name; give up to 40 lower-case letters/],
  ['orders', /^there is a service orders already; choose another name$/],
  [NAME, /^there is a service gift-cards already; choose another name$/],
  ['clients', /\/svc\/v3\/clients is a prefix of the row "authorizer"/],
  ['operator', /operator is reserved/],
])('%s is refused with a remedy, and nothing is written', (name, reason) => {
  const before = readFileSync(join(copy, 'pnpm-lock.yaml'), 'utf8');
  expect(() => writeService(copy, name)).toThrow(reason);
  expect(readFileSync(join(copy, 'pnpm-lock.yaml'), 'utf8')).toBe(before);
});
