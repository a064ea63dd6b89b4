import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Bounds, excludedScopes, liesWithin } from '../src/domain/client.ts';
import { SCOPES, type Scope } from '../src/domain/scopes.ts';
import { type ClientDocument, clientsCollection } from '../src/store.ts';
import { engines, installationFor, type Json, type TestClient } from './installation.ts';
import { usersIn } from './user-fixture.ts';

const known = { opera: { pointsOfSale: ['shop.opera.example', 'till.opera.example'] }, museum: {} };

describe.each(engines)('the bounds of a client, on $name', (engine) => {
  const its = installationFor({ engine, known });
  let token: string;

  beforeAll(async () => {
    token = await its.tokenOf(await its.newClient(SCOPES));
  });

  const call = (
    operation: string,
    method: string,
    path: string,
    body?: object,
    { as = token, headers = {} }: { as?: string; headers?: Record<string, string> } = {},
  ) =>
    its.call(as, operation, operation === 'getClient' ? 'clients:read' : 'clients:write', method, path, {
      body,
      headers,
    });
  const create = (more: object, as?: string) =>
    call('createClient', 'POST', '', { name: 'Reseller', scopes: ['orders:read'], ...more }, { as });
  const change = (clientId: unknown, body: object, as?: string) =>
    call('updateClient', 'PATCH', `/${clientId}`, body, { as });
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
    const read = await call('getClient', 'GET', `/${made.clientId}`);
    expect((await change(made.clientId, read.body.data as Json)).body.data).toMatchObject({
      bounds: { ownOrders: false, pointsOfSale: [] },
    });
  });

  test('of a client from before there were any are null', async () => {
    const client = await its.newClient(['orders:read']);
    await stored(({ bounds: _, ...older }) => older as ClientDocument, client);
    expect((await call('getClient', 'GET', `/${client.clientId}`)).body.data).toMatchObject({ bounds: null });
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

  const excluded: readonly Scope[] = SCOPES.filter((scope) => /^(clients|users)[.:]/.test(scope));

  test('exclude every scope of clients and users, whichever of both comes later', async () => {
    expect(excludedScopes({ ownOrders: false, pointsOfSale: [] }, SCOPES)).toEqual(excluded);
    for (const scope of ['clients:read', 'users.sensitive:write']) {
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
    expect(excluded).toHaveLength(7);
  });

  test('of a caller contain those of every client that it makes or changes', async () => {
    const caller = await its.newClient(['clients:read', 'clients:write', 'clients.sensitive:write', 'orders:read']);
    // No request gives such a client bounds.
    const limits = { ownOrders: true, pointsOfSale: ['till.opera.example'] };
    await stored((client) => ({ ...client, bounds: limits }), caller);
    const as = await its.tokenOf(caller);
    const forbidden = {
      status: 403,
      body: { status: 'forbidden', details: expect.stringContaining('till.opera.example'), data: null },
    };
    for (const bounds of [null, undefined, { ownOrders: true }, { pointsOfSale: ['till.opera.example'] }, own])
      expect(await create({ bounds }, as)).toMatchObject(forbidden);
    const made = await create({ bounds: limits }, as);
    expect(made.status).toBe(201);
    const { clientId } = made.body.data as Json;
    for (const bounds of [null, { ownOrders: false }, { pointsOfSale: null }])
      expect(await change(clientId, { bounds }, as)).toMatchObject(forbidden);
    expect((await change(clientId, { name: 'Other' }, as)).status).toBe(200);

    const outside = await its.newClient(['orders:read']);
    expect(await change(outside.clientId, { bounds: limits }, as)).toMatchObject(forbidden);
    expect(await call('deleteClient', 'DELETE', `/${outside.clientId}`, undefined, { as })).toMatchObject(forbidden);
    const path = `/${outside.clientId}/secrets`;
    expect(await its.call(as, 'createClientSecret', 'clients.sensitive:write', 'POST', path)).toMatchObject(forbidden);
  });

  test('are those of the next decision, also for tokens that live, and beside those of a user', async () => {
    const people = usersIn(its);
    const callerWith = async (granted: string) => (await people.callerOf(granted, 'orders:read', 'listOrders')).caller;
    const client = await its.newClient(['orders:read']);
    const pointsOfSale = ['till.opera.example'];
    const user = await people.active(token, 'box_office', { pointsOfSale });
    const [granted, ofUser] = [await its.tokenOf(client), await people.tokenOf(user, client)];
    expect((await callerWith(granted))?.bounds).toBeNull();
    const bounds = { ownOrders: true, pointsOfSale };
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
    const listed = await its.call(token, 'listClients', 'clients:read', 'GET', '?limit=500');
    expect(listed.text).not.toContain('Unwritten');
    expect((await create({ bounds: { ownOrders: true } })).status).toBe(201);
    its.references?.catalog.mishaps.clear();
  });
});

test('bounds lie within others if they leave nothing more visible', () => {
  const hosts = ['a.example', 'b.example', 'c.example'];
  const bounds: fc.Arbitrary<Bounds | null> = fc.option(
    fc.record({ ownOrders: fc.boolean(), pointsOfSale: fc.subarray(hosts) }),
  );
  // An order of each point of sale and of none, made by the client itself or by another.
  const orders = [...hosts, undefined].flatMap((host) => [true, false].map((isOwn) => ({ host, isOwn })));
  const visible = (given: Bounds | null) =>
    orders.filter(({ host, isOwn }) => {
      const { ownOrders, pointsOfSale } = given ?? { ownOrders: false, pointsOfSale: [] };
      return (isOwn || !ownOrders) && (pointsOfSale.length === 0 || pointsOfSale.some((one) => one === host));
    });
  fc.assert(
    fc.property(bounds, bounds, (inner, outer) => {
      const seen = visible(outer);
      expect(liesWithin(inner, outer)).toBe(visible(inner).every((order) => seen.includes(order)));
    }),
  );
});
