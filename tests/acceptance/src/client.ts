import { authorizationOf, type Client, openClient } from '@boxoffice/testkit';
import type { DemoClient, Product } from './product.ts';

/** The demo client of that name. @throws {Error} when demo.json has none */
export const demoClient = (product: Pick<Product, 'demo'>, institution: string, name: string): DemoClient => {
  const found = product.demo.clients.find((client) => client.institution === institution && client.name === name);
  if (!found) throw new Error(`demo.json has no client ${name} of ${institution}`);
  return found;
};

/** Requests a token for the demo client of that name; returns a client that sends it. */
export const authorised = async (product: Product, institution: string, name: string): Promise<Client> => {
  const authorization = await authorizationOf(openClient(product.address), demoClient(product, institution, name));
  return openClient(product.address, { headers: { authorization } });
};
