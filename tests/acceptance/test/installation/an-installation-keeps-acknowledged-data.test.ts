import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { authoriseDemoClient, type Product, startProduct } from '../../src/product.ts';

const products: Product[] = [];
const start = async (settings: Record<string, string> = {}, directory?: string) => {
  const product = await startProduct(settings, directory);
  products.push(product);
  return product;
};

afterAll(async () => {
  for (const product of products) {
    await product.stop();
    await product.discard();
  }
});

describe('an installation keeps acknowledged data', () => {
  test('acknowledged contacts survive a SIGKILL, and the demo credentials do not change', async () => {
    const first = await start();
    const full = await authoriseDemoClient(first, 'opera', 'full');
    const acknowledged: string[] = [];
    let refused = 0;
    const writer = async () => {
      while (acknowledged.length < 100) {
        const reply = await full('/contacts/individuals', { method: 'POST', body: { lastName: 'Kept' } }).catch(
          () => undefined,
        );
        if (reply?.status === 201) acknowledged.push(reply.body.data.contactNumber);
        else if (refused++ > 100) return;
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    expect(refused).toBe(0);
    await first.stop('SIGKILL');
    const again = await start({}, first.directory);
    // Users return to the address that the installation has now.
    const moved = (text: string) => text.replaceAll(first.demo.baseUrl, again.demo.baseUrl);
    expect(again.demo.clients).toEqual(JSON.parse(moved(JSON.stringify(first.demo.clients))));
    const reader = await authoriseDemoClient(again, 'opera', 'full');
    for (const number of acknowledged) expect((await reader(`/contacts/individuals/${number}`)).status).toBe(200);
    expect(await again.stop('SIGTERM')).toBe(0);
  });

  test('a lost demo.json is written again with new secrets, readable by its owner only', async () => {
    const [seeded] = products;
    if (!seeded) throw new Error('the test before seeds the data');
    const file = join(seeded.directory, 'demo.json');
    await rm(file);
    const again = await start({}, seeded.directory);
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secrets = (product: Product) => product.demo.clients.flatMap(({ clientSecret }) => clientSecret ?? []);
    for (const secret of secrets(again)) expect(secrets(seeded)).not.toContain(secret);
    await authoriseDemoClient(again, 'museum', 'reader');
    await again.stop();
  });
});
