import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmptyProduct } from '../../src/product.ts';
import { listBlocks, runBlocks } from '../../src/readme.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const GUIDE = readFileSync(join(ROOT, 'docs/guides/cards.md'), 'utf8');

let product: Awaited<ReturnType<typeof startEmptyProduct>>;
let folder: string;

// As the guide says: an installation without demo data, with the simulated provider.
beforeAll(async () => {
  product = await startEmptyProduct({ PAYMENT_SIMULATOR: 'on' });
  folder = await mkdtemp(join(tmpdir(), 'boxoffice-cards-'));
  await symlink(product.directory, join(folder, 'data'));
  const operator = `exec ${process.execPath} --conditions=source ${join(ROOT, 'deploy/operator/src/main.ts')}`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { operator } }));
});

afterAll(async () => {
  await product?.stop();
  await product?.discard();
  await rm(folder, { recursive: true, force: true });
});

test('keys, a show, a visitor who pays and closes the browser, a refund, and books that agree', () => {
  expect(GUIDE).toContain('BOXOFFICE_DEMO=off PAYMENT_SIMULATOR=on npm start');
  expect(runBlocks(listBlocks(GUIDE), folder, { GATEWAY_PORT: `${product.port}` })).toEqual([]);
});
