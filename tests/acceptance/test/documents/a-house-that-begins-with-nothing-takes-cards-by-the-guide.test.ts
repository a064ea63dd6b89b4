import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmptyProduct } from '../../src/product.ts';
import { createFolder, listBlocks, runBlocks } from '../../src/readme.ts';

const GUIDE = readFileSync(new URL('../../../../docs/guides/cards.md', import.meta.url), 'utf8');

let product: Awaited<ReturnType<typeof startEmptyProduct>>;
let folder: string;

// As the guide says: an installation without demo data, with the simulated provider.
beforeAll(async () => {
  product = await startEmptyProduct({ PAYMENT_SIMULATOR: 'on' });
  folder = await createFolder(product.directory);
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
