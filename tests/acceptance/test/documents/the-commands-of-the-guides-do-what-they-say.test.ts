import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createFolder, listBlocks, runBlocks } from '../../src/readme.ts';
import { useSharedProduct } from '../product.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const product = useSharedProduct();
let folder: string;

beforeAll(async () => {
  folder = await createFolder(product.directory);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The failures of the commands of these pages, in one shell. */
const play = (pages: readonly string[]): string[] =>
  runBlocks(
    pages.flatMap((page) => listBlocks(readFileSync(join(ROOT, page), 'utf8'))),
    folder,
    { GATEWAY_PORT: `${product.port}` },
  );

const guide = (name: string): string => `docs/guides/${name}.md`;

test('the guides, read in the order in which the README names them, work in one shell', () => {
  const row = readFileSync(join(ROOT, 'README.md'), 'utf8').match(/^\| \[docs\/guides\/token\.md\].*$/m)?.[0] ?? '';
  const pages = [...row.matchAll(/\]\((docs\/[^)]+\.md)\)/g)].map(([, page = '']) => page);
  const withCommands = pages.filter((page) => /```(?:sh|js)\n/.test(readFileSync(join(ROOT, page), 'utf8')));
  expect(withCommands).toEqual([
    ...['token', 'sale', 'season', 'reservations', 'after-sale', 'door'].map(guide),
    'docs/webhooks.md',
  ]);
  expect(play(withCommands)).toEqual([]);
});

test.each(['sale', 'season', 'reservations', 'after-sale', 'door'])(
  '%s needs no other guide but that of the token',
  (name) => {
    expect(play([guide('token'), guide(name)])).toEqual([]);
  },
);

test('a house of its own charges fees, names taxes, and lowers prices by codes', () => {
  expect(play([guide('taxes-and-fees'), guide('codes')])).toEqual([]);
});

test('the demo data are as their page says', () => {
  expect(play([guide('demo')])).toEqual([]);
});

test('a refusal is shown by the sentence of the server', () => {
  const blocks = listBlocks(readFileSync(join(ROOT, guide('token')), 'utf8'));
  const order = {
    commands: `call() { curl -s --cacert "$CA" -H "Authorization: Bearer $TOKEN" "$@"; }
call "$BASE/svc/v3/orders/ord_none" | field data.state`,
    expected: [],
  };
  expect(runBlocks([...blocks, order], folder)).toEqual([
    expect.stringMatching(/^the shell ended with status 1: There is no resource with this id\./),
  ]);
});
