import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocksOf, runBlocks } from '../../src/readme.ts';
import { useSharedProduct } from '../product.ts';

const GUIDES = fileURLToPath(new URL('../../../../docs/guides', import.meta.url));

const product = useSharedProduct();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'boxoffice-guides-'));
  await symlink(product.directory, join(folder, 'data'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

// Each guide after those whose shell it continues.
test.each([
  [['demo']],
  [['token', 'sale', 'after-sale']],
  [['token', 'sale', 'reservations']],
  [['token', 'sale', 'door']],
  [['token', 'season']],
])('%j', async (names) => {
  const texts = await Promise.all(names.map((name) => readFile(join(GUIDES, `${name}.md`), 'utf8')));
  expect(
    runBlocks(
      texts.flatMap((text) => blocksOf(text)),
      folder,
    ),
  ).toEqual([]);
});
