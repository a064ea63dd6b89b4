import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CLIENT, type Consumer, installConsumer, readPrograms } from '../../src/client-package.ts';
import { findDemoClient } from '../../src/product.ts';
import { useSharedProduct } from '../product.ts';

/** The programs of the README that end by themselves, in its order, and those of the guides. */
const RUN = ['sale.ts', 'lists.ts', 'errors.ts', 'what-is-on.ts', 'first-sale.ts', 'shop.ts'];
const GUIDES = ['mirror.ts'];

/** Uses of the package that must not compile: wrong paths, bodies, data, and operations that a key does not open. */
const WRONG = new Map([
  ['wrong-path.ts', "client.getOrder({ path: { id: 'ord_1' } });"],
  ['wrong-body.ts', "client.addPayment({ path: { orderId: 'o' }, body: { method: 'card' } });"],
  ['wrong-data.ts', "client.getOrder({ path: { orderId: 'o' } }).then((order) => order.shiny);"],
  ['wrong-key.ts', "createClient({ baseUrl: 'https://a', apiKey: 'bok_1' }).listOrders();"],
]);

const product = useSharedProduct();
let folder: string;
let consumer: Consumer;
let programs: ReadonlyMap<string, string>;

/** A program with the address, the client and the resources of the installation instead of the examples. */
const filledIn = (code: string): string => {
  const { clientId, clientSecret } = findDemoClient(product, 'opera', 'full');
  const { numbered, twoLeft } = product.demo.fixtures.opera ?? {};
  const key = product.demo.apiKeys.find(({ institution }) => institution === 'opera')?.key ?? '';
  const pointOfSale = product.demo.pointsOfSale.find(({ institution }) => institution === 'opera');
  const isPublic = code.includes('apiKey');
  return code
    .replaceAll('https://tickets.example.org', product.demo.baseUrl)
    .replaceAll('cli_of-your-client', clientId)
    .replaceAll('the-secret-of-your-client', clientSecret)
    .replaceAll('prf_of-a-performance', (isPublic ? twoLeft : numbered)?.performanceId ?? '')
    .replaceAll('prd_of-a-product', numbered?.productId ?? '')
    .replaceAll('shop.example.org', pointOfSale?.serviceHost ?? '')
    .replaceAll('bok_of-your-page', key);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'boxoffice-partner-'));
  const documents = ['libs/client/README.md', 'docs/guides/mirror.md'];
  const found = await Promise.all(documents.map((document) => readPrograms(join(CLIENT, '../..', document))));
  programs = new Map(found.flatMap((one) => [...one]));
  const prelude = "import { createClient } from '@boxoffice/client';\nimport { client } from './client.js';\n";
  const wrong = [...WRONG].map(([name, use]) => [name, `${prelude}${use}\nvoid [createClient, client];`] as const);
  const filled = [...programs].map(([name, code]) => [name, filledIn(code)] as const);
  consumer = await installConsumer(join(folder, 'project'), product.demo, new Map([...filled, ...wrong]));
}, 600_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('the package', () => {
  test('has compiled modules, declarations, README and LICENSE, and nothing else', () => {
    const others = consumer.files.filter((path) => !/^dist\/[a-z/-]+\.(js|d\.ts)$/.test(path));
    expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(consumer.files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
  });

  test('needs nothing of the conditions of this workspace', async () => {
    const { exports } = JSON.parse(
      await readFile(join(folder, 'project/node_modules/@boxoffice/client/package.json'), 'utf8'),
    );
    expect(JSON.stringify(exports)).not.toContain('./src/');
  });

  test('is installed from its installation; every program compiles under strict, wrong uses do not', async () => {
    expect(programs.size).toBeGreaterThan(RUN.length);
    const said = await consumer.compile().then(
      () => '',
      (error: Error) => error.message,
    );
    const named = [...said.matchAll(/^(?:.*\/)?([a-z-]+\.ts)\(\d+,\d+\): error/gm)].map(([, file]) => file);
    expect([...new Set(named)].toSorted()).toEqual([...WRONG.keys()].toSorted());
  }, 300_000);
});

test.each([...RUN, ...GUIDES])(
  '%s of the README and the guides prints what it says',
  async (name) => {
    const code = programs.get(name) ?? '';
    const expected = [...code.matchAll(/^\/\/ → (.+)$/gm)].map(([, fragment = '']) => fragment);
    expect(expected).not.toEqual([]);
    const output = await consumer.run(name, { NODE_EXTRA_CA_CERTS: product.demo.caFile });
    for (const fragment of expected) expect(output).toContain(fragment);
  },
  300_000,
);
