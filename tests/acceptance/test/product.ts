import { useFixture } from '@boxoffice/service/testkit';
import type { Client, Json } from '@boxoffice/testkit';
import { beforeAll } from '@jest/globals';
import { authorised, type Product, startProduct } from '../src/product.ts';

/** A product that runs during the tests of the file. */
export const useProduct = (settings?: Readonly<Record<string, string>>): Product =>
  useFixture(async () => {
    const product = await startProduct(settings);
    const close = async () => {
      await product.stop();
      await product.discard();
    };
    return { ...product, close };
  });

/** The requests of the opera's partner with every scope. */
export const usePartner = (product: Product): Client => {
  let full: Client;
  beforeAll(async () => {
    full = await authorised(product, 'opera', 'full');
  });
  return (...call) => full(...call);
};

/** The data of an answer. @throws {Error} with the answer, if the request was refused */
export const must = async (client: Client, path: string, method = 'GET', body?: object): Promise<Json> => {
  const reply = await client(path, { method, ...(body && { body }) });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body.data;
};
