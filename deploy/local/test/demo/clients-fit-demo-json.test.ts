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
  const byId = (one: { readonly clientId: string }, other: { readonly clientId: string }) =>
    one.clientId < other.clientId ? -1 : 1;
  const shown = written.map(({ name, clientId, scopes, bounds = null }) => {
    // People read this name when they sign in at the door.
    return { name: name === 'door' ? 'Door control' : name, clientId, scopes, bounds };
  });
  expect(shown.toSorted(byId)).toEqual(
    stored.map(({ name, clientId, scopes, bounds }) => ({ name, clientId, scopes, bounds })).toSorted(byId),
  );
  expect(written[0]).toMatchObject({ clientId: older.clientId, scopes: expect.arrayContaining(['payments:write']) });
  expect(written.find(({ name }) => name === 'reseller')).toMatchObject({
    bounds: { ownOrders: true, pointsOfSale: ['tickets.opera.example'] },
  });
});
