import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@boxoffice/runtime';
import { type ServicesFile, servicesFile } from '@boxoffice/runtime/services';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { selectRoleScopes } from '../src/domain/scopes.ts';
import { createClient, listDomainScopes, ROLES } from '../src/index.ts';
import { describeScope, getTexts } from '../src/sign-in/texts.ts';
import { deriveTestSecret, type Json, startInstallationForSuite, type TestClient, waitUntil } from './installation.ts';

const directory = mkdtempSync(join(tmpdir(), 'boxoffice-services-'));
const path = join(directory, 'services.json');
const save = (rows: readonly object[]): void => writeFileSync(path, JSON.stringify(rows));
save([]);

const { file } = readSettings({ file: servicesFile }, { SERVICES_FILE: path });
const installation = startInstallationForSuite({ servicesFile: file as ServicesFile });
afterAll(() => rmSync(directory, { recursive: true }));

/** The time within which a running authorizer takes a change. Milliseconds. */
const TAKEN_MS = 5_000;

const LOYALTY = { name: 'loyalty', domains: ['loyalty'], calls: ['catalog.findPointOfSale'] };

const OWN = ['loyalty:read', 'loyalty:write', 'loyalty.sensitive:read', 'loyalty.sensitive:write'];

const supported = async (): Promise<readonly string[]> =>
  (await installation.get('/.well-known/openid-configuration')).body.scopes_supported as string[];

const take = async (rows: readonly object[], isTaken: (scopes: readonly string[]) => boolean): Promise<void> => {
  save(rows);
  await waitUntil(async () => isTaken(await supported()), 10 * TAKEN_MS);
};

const identify = (service: string, operation: string, secret = deriveTestSecret(service)) =>
  installation.internal(
    '/internal/identities',
    { audience: 'catalog', institution: 'opera', operation },
    service,
    secret,
  );

describe('a row that is added to the services file of a running authorizer', () => {
  beforeEach(() => take([LOYALTY], (scopes) => scopes.includes('loyalty:read')));

  test('gives the four scopes of its domain, which can be granted at once and match explicitly', async () => {
    const known = listDomainScopes(['loyalty']);
    expect((await supported()).filter((scope) => scope.startsWith('loyalty'))).toEqual(OWN);
    const granter = { institution: 'opera', name: 'granter', scopes: ['clients:write', 'loyalty:read'] };
    const token = await installation.tokenOf(await createClient(installation.store, granter, known));
    const create = (scopes: readonly string[]) =>
      installation.send(token, 'createClient', {}, { body: { name: 'cards', scopes } });
    expect(await create(['loyalty:read', 'loyally:read', 'tickets:reed'])).toMatchObject({ status: 400 });
    expect(await create(['loyalty:read', 'loyally:read'])).toMatchObject({
      status: 400,
      body: {
        status: 'validation_error',
        details: expect.stringMatching(/^\$\.scopes\[1\] must be one of .*loyalty:read/),
      },
    });
    expect((await create(['loyalty:write'])).status).toBe(403);
    const { status, body } = await create(['loyalty:read']);
    expect(status).toBe(201);
    const own = await installation.tokenOf(body.data as TestClient & Json);
    expect((await installation.decide(own, 'loyalty:read', 'listCards', 'loyalty')).status).toBe(200);
    for (const scope of ['loyalty:write', 'loyalty.sensitive:read', 'orders:read'])
      expect((await installation.decide(own, scope, 'listCards', 'loyalty')).status).toBe(403);
  });

  test('lets the service authenticate with the secret of its name, and reach only what it calls', async () => {
    expect((await identify('loyalty', 'findPointOfSale')).status).toBe(200);
    expect((await identify('loyalty', 'holdPlaces')).status).toBe(403);
    expect((await identify('loyalty', 'findPointOfSale', deriveTestSecret('orders'))).status).toBe(401);
    await take([], (scopes) => !scopes.includes('loyalty:read'));
    expect((await identify('loyalty', 'findPointOfSale')).status).toBe(401);
  });
});

test('of the roles, admin and manager have the scopes of a team’s domain', () => {
  const known = listDomainScopes(['catalog', 'loyalty']);
  const having = ROLES.filter((role) => selectRoleScopes(role, known).includes('loyalty.sensitive:write'));
  expect(having).toEqual(['admin', 'manager']);
});

test('the consent page says in words what such a scope lets its holder do', () => {
  const said = (['en', 'de', 'fr'] as const).map((language) =>
    describeScope(getTexts(language), 'loyalty.sensitive:read'),
  );
  expect(said).toEqual([
    'see sensitive data of “loyalty”',
    'sensible Daten von „loyalty“ sehen',
    'voir les données sensibles de « loyalty »',
  ]);
});
