import { beforeAll, describe, expect, test } from '@jest/globals';
import { findExcludedScopes } from '../src/domain/client.ts';
import { SCOPES } from '../src/domain/scopes.ts';
import { type ClientDocument, clientsCollection } from '../src/store.ts';
import { engines, type Json, startInstallationForSuite, type TestClient } from './installation.ts';
import { createUserFixture } from './user-fixture.ts';

const known = { opera: { pointsOfSale: ['shop.opera.example', 'till.opera.example'] }, museum: {} };

describe.each(engines)('the bounds of a client, on $name', (engine) => {
  const its = startInstallationForSuite({ engine, known });
  let token: string;

  beforeAll(async () => {
    token = await its.tokenOf(await its.newClient(SCOPES));
  });

  const create = (more: object) =>
    its.send(token, 'createClient', {}, { body: { name: 'Reseller', scopes: ['orders:read'], ...more } });
  const change = (clientId: unknown, body: object) => its.send(token, 'updateClient', { clientId }, { body });
  const created = async (more: object) => (await create(more)).body.data as Json & TestClient;
  const stored = (change: (client: ClientDocument) => ClientDocument, { clientId }: TestClient) =>
    its.store
      .collection(clientsCollection)
      .of('opera')
      .update(clientId, (client) => ({ next: change(client) }));

  const own = { ownOrders: true, pointsOfSale: ['shop.opera.example'] };

  test('are null until they are given, are a merge patch, and hosts are in lower case', async () => {
    expect((await created({})).bounds).toBeNull();
    const made = await created({
      bounds: { ownOrders: true, pointsOfSale: ['Shop.Opera.example', 'shop.opera.example'] },
    });
    expect(made.bounds).toEqual(own);
    const after = async (bounds: object | null) => ((await change(made.clientId, { bounds })).body.data as Json).bounds;
    expect(await after({ ownOrders: false })).toEqual({ ...own, ownOrders: false });
    expect(await after({ pointsOfSale: null, ownOrders: true })).toEqual({ ownOrders: true, pointsOfSale: [] });
    expect(await after({ ownOrders: null })).toEqual({ ownOrders: false, pointsOfSale: [] });
    expect(await after(null)).toBeNull();
    expect(await after({})).toEqual({ ownOrders: false, pointsOfSale: [] });
    const read = await its.send(token, 'getClient', made);
    expect((await change(made.clientId, read.body.data as Json)).body.data).toMatchObject({
      bounds: { ownOrders: false, pointsOfSale: [] },
    });
  });

  test('a point of sale must exist in the institution when it is given', async () => {
    const unknown = { bounds: { pointsOfSale: ['shop.opera.example', 'Nowhere.example'] } };
    const details = '$.bounds.pointsOfSale[1]: there is no point of sale Nowhere.example.';
    expect(await create(unknown)).toMatchObject({ status: 422, body: { status: 'validation_error', details } });
    const made = await created({ bounds: own });
    expect(await change(made.clientId, unknown)).toMatchObject({ status: 422, body: { details } });
    its.references?.remove('shop.opera.example');
    const again = { bounds: { pointsOfSale: ['shop.opera.example'] } };
    expect((await change(made.clientId, again)).status).toBe(200);
    expect(await create({ bounds: own })).toMatchObject({ status: 422 });
  });

  test('admit what sells, and exclude every other scope, whichever of both comes later', async () => {
    const admitted = /^(catalog:read|(contacts|orders)(\.sensitive)?:|payments:|tickets:|events:)/;
    const others = ['catalog.sensitive:read', 'loyalty:read', 'loyalty.sensitive:write'];
    const excluded = [...SCOPES.filter((scope) => !admitted.test(scope)), ...others];
    expect(findExcludedScopes({ ownOrders: false, pointsOfSale: [] }, [...SCOPES, ...others])).toEqual(excluded);
    expect(excluded).toEqual(expect.arrayContaining(['catalog:write', 'clients:read', 'users.sensitive:write']));
    expect((await create({ scopes: SCOPES.filter((scope) => admitted.test(scope)), bounds: {} })).status).toBe(201);
    for (const scope of ['catalog:write', 'clients:read', 'users.sensitive:write']) {
      const refusal = {
        status: 422,
        body: {
          status: 'validation_error',
          details: expect.stringMatching(`^\\$\\.scopes: .* cannot have ${scope}, .*null`),
        },
      };
      expect(await create({ scopes: ['orders:read', scope], bounds: {} })).toMatchObject(refusal);
      const bounded = await created({ bounds: { ownOrders: true } });
      expect(await change(bounded.clientId, { scopes: [scope] })).toMatchObject(refusal);
      const other = await created({ scopes: [scope] });
      expect(await change(other.clientId, { bounds: { ownOrders: true } })).toMatchObject(refusal);
      expect((await change(other.clientId, { scopes: [], bounds: { ownOrders: true } })).status).toBe(200);
      expect((await change(bounded.clientId, { scopes: [scope], bounds: null })).status).toBe(200);
    }
  });

  test('of before: an excluded scope counts as absent, and does not come back without them', async () => {
    const client = await its.newClient(['orders:read', 'catalog:write']);
    const granted = await its.tokenOf(client);
    const decision = (scope: string) => its.decide(granted, scope, 'createProduct', 'catalog');
    expect((await decision('catalog:write')).status).toBe(200);
    // No request gives such a client bounds any more.
    await stored((found) => ({ ...found, bounds: { ownOrders: true, pointsOfSale: [] } }), client);
    expect((await decision('catalog:write')).status).toBe(403);
    expect((await decision('orders:read')).status).toBe(200);
    const shown = await its.send(token, 'getClient', client);
    expect(shown.body.data).toMatchObject({ scopes: ['orders:read'] });
    expect((await change(client.clientId, { bounds: null })).body.data).toMatchObject({ scopes: ['orders:read'] });
    expect((await decision('catalog:write')).status).toBe(403);
  });

  test('limit what the client does; a limit that is not given has its default', async () => {
    const limits = { onAccount: true, reservationDays: 30, heldPlaces: 40 };
    const made = await created({ bounds: { ownOrders: true, ...limits } });
    expect(made.bounds).toEqual({ ownOrders: true, pointsOfSale: [], ...limits });
    const after = async (bounds: object) => ((await change(made.clientId, { bounds })).body.data as Json).bounds;
    expect(await after({ heldPlaces: 41, onAccount: null })).toEqual({
      ...{ ownOrders: true, pointsOfSale: [] },
      ...{ reservationDays: 30, heldPlaces: 41 },
    });
    expect(await after({ heldPlaces: null, reservationDays: null })).toEqual({ ownOrders: true, pointsOfSale: [] });
    for (const wrong of [{ reservationDays: -1 }, { reservationDays: 1.5 }, { heldPlaces: 0 }, { onAccount: 'yes' }])
      expect((await create({ bounds: wrong })).status).toBe(400);
  });

  test('are those of the next decision, also for tokens that live, and beside those of a user', async () => {
    const people = createUserFixture(its);
    const callerWith = async (granted: string) => (await people.callerOf(granted, 'orders:read', 'listOrders')).caller;
    const client = await its.newClient(['orders:read']);
    const pointsOfSale = ['till.opera.example'];
    const user = await people.person({ role: 'box_office', pointsOfSale });
    const [granted, ofUser] = [await its.tokenOf(client), await people.tokenOf(user, client)];
    expect((await callerWith(granted))?.bounds).toBeNull();
    const bounds = { ownOrders: true, pointsOfSale, onAccount: true, heldPlaces: 40 };
    await change(client.clientId, { bounds });
    expect(await callerWith(granted)).toMatchObject({ client: client.clientId, bounds });
    expect(await callerWith(ofUser)).toMatchObject({
      client: client.clientId,
      bounds,
      user: { id: user.userId, pointsOfSale },
    });
    await change(client.clientId, { bounds: null });
    expect((await callerWith(granted))?.bounds).toBeNull();
  });

  test('with points of sale are 503 while the catalogue does not answer, and nothing is written', async () => {
    its.references?.catalog.mishaps.set('*', 'fails');
    const { status, headers } = await create({ name: 'Unwritten', bounds: { pointsOfSale: ['till.opera.example'] } });
    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    const listed = await its.send(token, 'listClients', {}, { query: '?limit=500' });
    expect(listed.text).not.toContain('Unwritten');
    expect((await create({ bounds: { ownOrders: true } })).status).toBe(201);
    its.references?.catalog.mishaps.clear();
  });
});
