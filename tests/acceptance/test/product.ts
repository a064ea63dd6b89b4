import { useFixture } from '@boxoffice/service/testkit';
import type { Client, Json } from '@boxoffice/testkit';
import { beforeAll } from '@jest/globals';
import { authoriseDemoClient, type Product, startProduct } from '../src/product.ts';

/** A product that runs during the tests of the file, or of the block. */
export function useProduct(settings?: Readonly<Record<string, string>>): Product {
  return useFixture(async () => {
    const product = await startProduct(settings);
    const close = async () => {
      await product.stop();
      await product.discard();
    };
    return { ...product, close };
  });
}

let shared: Product | undefined;

/**
 * A product that runs during the tests of the file, and of the files that share a suite with it (../src/test.ts): all
 * that they prepare happens before the first test of any.
 */
export function useSharedProduct(): Product {
  shared ??= useProduct();
  return shared;
}

/** The requests of the opera's partner with every scope. */
export function usePartner(product: Product): Client {
  let full: Client;
  beforeAll(async () => {
    full = await authoriseDemoClient(product, 'opera', 'full');
  });
  return (...call) => full(...call);
}

/** The data of an answer. @throws {Error} with the answer, if the request was refused */
export async function must(client: Client, path: string, method = 'GET', body?: object): Promise<Json> {
  const reply = await client(path, { method, ...(body && { body }) });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body.data;
}
