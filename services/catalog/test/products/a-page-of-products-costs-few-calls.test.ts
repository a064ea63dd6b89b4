// V8 counts each call of a function: the same number on every machine, unlike a duration.

import { Session } from 'node:inspector/promises';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import {
  buildPerformanceBody,
  createProduct,
  createTariff,
  type Page,
  type Product,
  startCatalog,
} from '../fixture/service.ts';

const catalog = useFixture(() => startCatalog());

const ROWS = 14;
const CATEGORIES = ['STALLS', 'BALCONY', 'GALLERY', 'BOXES', 'CIRCLE'];

/** What holds the answer to its schema: only tests do. */
const CHECKS = /\/testkit\/|\/http\/src\/(validation|locale)\//;

/** How often this calls a function of the product. */
const callsDuring = async (act: () => Promise<unknown>): Promise<number> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  await act();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.disable');
  session.disconnect();
  const own = result.filter(({ url }) => /\/(libs|services)\/[^/]+\/src\//.test(url) && !CHECKS.test(url));
  return own.flatMap(({ functions }) => functions).reduce((sum, { ranges: [range] }) => sum + (range?.count ?? 0), 0);
};

test('a page of twenty products, with the rows and the prices of their performances, costs at most 5,000 calls', async () => {
  const tariffs = [await createTariff(catalog), await createTariff(catalog), await createTariff(catalog)];
  const seatCategories = CATEGORIES.map((code, index) => ({
    code,
    name: { en: code },
    numbered: index === 0,
    capacity: ROWS,
    ...(index === 0 ? { rows: Array.from({ length: ROWS }, (_, row) => ({ row: `${row}`, seats: 1 })) } : {}),
  }));
  const prices = tariffs.flatMap(({ id: tariffId }) =>
    CATEGORIES.map((seatCategory) => ({ seatCategory, tariffId, amount: 4_200 })),
  );
  const performances = [buildPerformanceBody('', [], { seatCategories, prices })];
  for (let product = 0; product < 20; product += 1)
    expect((await createProduct(catalog, { performances })).status).toBe(201);

  let page: Page<Product> | undefined;
  const list = async () => {
    page = (await catalog.call<Page<Product>>('GET', '/svc/v3/catalog/products?limit=20')).data;
  };
  await list();
  const calls = await callsDuring(list);
  expect(page?.items.flatMap((product) => product.performances)).toHaveLength(20);
  expect(page?.items[0]?.performances[0]?.seatCategories[0]?.rows).toHaveLength(ROWS);
  expect(page?.items[0]?.performances[0]?.prices).toHaveLength(prices.length);
  expect(calls).toBeGreaterThan(1_000);
  expect(calls).toBeLessThanOrEqual(5_000);
});
