import { authorizer, createClient, listClients } from '@boxoffice/authorizer';
import { testEngines } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { registerClients } from '../../src/demo/accounts.ts';
import { opera } from '../../src/demo/opera.ts';

const [engine] = testEngines('authorizer', authorizer.collections);
if (!engine) throw new Error('there is no engine');
let stores: Awaited<ReturnType<typeof engine.start>>;

beforeAll(async () => {
  stores = await engine.start();
});
afterAll(() => stores.close());

test('clients that an older release made have the scopes and bounds that a new file says', async () => {
  const store = await stores.open();
  const older = await createClient(store, { institution: 'opera', name: 'full', scopes: ['catalog:read'] });
  const written = await registerClients(store, opera, 'https://tickets.example.org');
  const stored = await listClients(store, 'opera');
  // Clients made in one millisecond are listed in any order.
  const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1);
  const shown = written.map(({ name, clientId, scopes, bounds = null }) => ({ name, clientId, scopes, bounds }));
  expect(shown.toSorted(byName)).toEqual(
    stored.map(({ name, clientId, scopes, bounds }) => ({ name, clientId, scopes, bounds })).toSorted(byName),
  );
  expect(written[0]).toMatchObject({ clientId: older.clientId, scopes: expect.arrayContaining(['payments:write']) });
  expect(written.find(({ name }) => name === 'reseller')).toMatchObject({
    bounds: { ownOrders: true, pointsOfSale: ['tickets.opera.example'] },
  });
});
