import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import { createLogger, createMetrics, readSettings } from '@boxoffice/runtime';
import { followServices, servicesFileOrData, watchServicesFile } from '@boxoffice/runtime/services';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createDocument, type Row } from '../fixtures/describe.ts';
import { waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { sendJson, startUpstream, type Upstream } from '../fixtures/upstream.ts';

const CARDS = '/svc/v3/loyalty/cards';

/** The time within which a running gateway takes a change. Milliseconds. */
const TAKEN_MS = 5_000;

const operations: readonly Row[] = [
  [`GET ${CARDS}`, 'loyalty:read', 'listCards'],
  [`GET ${CARDS}/{cardId}/secret`, 'loyalty.sensitive:read', 'getCardSecret'],
  ['GET /svc/v3/loyalty/terms', null, 'getTerms'],
  ['GET /svc/v3/loyalty/hidden', null, 'getHidden'],
  ['GET /svc/v3/loyalty/anyone', '', 'getAnyone'],
  ['GET /svc/v3/loyalty/orders', 'orders:read', 'listOrdersOfCards'],
  ['GET /svc/v3/loyalty/individuals', 'loyalty:read', 'listIndividuals'],
  ['GET /svc/v3/contacts/individuals', 'loyalty:read', 'takeIndividuals'],
];

let its: Installation;
let loyalty: Upstream;
let directory: string;
let path: string;
let list: ReturnType<typeof followServices>;
const log: Record<string, unknown>[] = [];
const metrics = await createMetrics();

const row = (more: object = {}) => ({
  name: 'loyalty',
  url: loyalty.url,
  prefixes: ['/svc/v3/loyalty', '/loyalty'],
  domains: ['loyalty'],
  open: ['GET /svc/v3/loyalty/terms'],
  pages: ['POST /loyalty'],
  ...more,
});

const save = async (rows: unknown): Promise<void> => {
  await writeFile(`${path}.new`, JSON.stringify(rows));
  await rename(`${path}.new`, path);
};

const statusOf = async (at: string, ...scopes: string[]): Promise<number> =>
  scopes.length === 0 ? (await its.call(at)).status : (await its.as(its.authorizer.token(scopes))(at)).status;

const becomes = async (status: number, at: string, ...scopes: string[]): Promise<void> => {
  await waitUntil(async () => (await statusOf(at, ...scopes)) === status);
};

const refusals = () => log.filter(({ message }) => String(message).startsWith('the services file cannot be used'));

beforeAll(async () => {
  loyalty = await startUpstream(createDocument(operations));
  // Without a file there are the built-in services; the list finds the file when it appears.
  directory = await mkdtemp(join(tmpdir(), 'services-'));
  path = join(directory, 'services.json');
  const { file } = readSettings({ file: servicesFileOrData }, { BOXOFFICE_DATA_DIR: directory });
  const logger = createLogger({ service: 'gateway', pretty: false, write: (line) => log.push(JSON.parse(line)) });
  list = followServices({ file, logger });
  watchServicesFile(metrics, 'gateway', list);
  its = await startInstallation({ serviceList: list });
});
afterAll(async () => {
  await its.close();
  await list.close();
  await loyalty.close();
  await rm(directory, { recursive: true, force: true });
});

test('a row that is added is served within five seconds, and one that is removed is not', async () => {
  expect(await statusOf(CARDS, 'loyalty:read')).toBe(404);
  const isTaken = async (rows: readonly object[], status: number): Promise<void> => {
    await save(rows);
    await waitUntil(async () => (await statusOf(CARDS, 'loyalty:read')) === status, 10 * TAKEN_MS);
  };
  await isTaken([row()], 200);
  await isTaken([], 404);
});

describe('a service of a team', () => {
  beforeEach(async () => {
    await save([row()]);
    await becomes(200, CARDS, 'loyalty:read');
  });

  test('is called with the signed identity, for a token of its own domain only', async () => {
    loyalty.received.splice(0);
    expect(await statusOf(CARDS, 'orders:read')).toBe(403);
    expect(await statusOf(CARDS, 'loyalty:write')).toBe(403);
    expect(await statusOf(`${CARDS}/1/secret`, 'loyalty:read')).toBe(403);
    expect(await statusOf(CARDS)).toBe(401);
    expect(loyalty.received).toEqual([]);
    expect(await statusOf(`${CARDS}/1/secret`, 'loyalty.sensitive:read')).toBe(200);
    const { audience, operation } = its.authorizer.decisionRequests.at(-1) ?? {};
    expect([audience, operation]).toEqual(['loyalty', 'getCardSecret']);
    expect(loyalty.received[0]?.headers[IDENTITY_HEADER]).toMatch(/^eyJ/);
  });

  test('exposes its open operations and pages, and nothing that its row or another service forbids', async () => {
    expect(await statusOf('/svc/v3/loyalty/terms')).toBe(200);
    expect(await statusOf('/svc/v3/loyalty/hidden')).toBe(404);
    // "Any token" is no scope of a team's domain.
    expect(await statusOf('/svc/v3/loyalty/anyone', 'loyalty:read')).toBe(404);
    const reason = expect.stringMatching(/^GET \/svc\/v3\/loyalty\/anyone names no scope; require one of the domains/);
    expect(its.log).toContainEqual(expect.objectContaining({ upstream: 'loyalty', reason }));
    expect(await statusOf('/svc/v3/loyalty/orders', 'orders:read')).toBe(404);
    // listIndividuals is an operation of the contacts.
    expect(await statusOf('/svc/v3/loyalty/individuals', 'loyalty:read')).toBe(404);
    loyalty.answer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>');
    });
    expect((await its.call('/loyalty/join', { method: 'POST' })).headers['content-type']).toBe('text/html');
    expect((await its.call('/loyalty/join', { method: 'DELETE' })).status).toBe(405);
    loyalty.answer((_request, response) => sendJson(response, 200, { status: 'success', details: null, data: {} }));
  });

  test('is in the description of the whole, and a changed description is learned', async () => {
    const whole = async () => JSON.parse((await its.call('/openapi.json')).text);
    const described = async () => (await whole()).paths;
    expect(Object.keys(await described())).toContain(CARDS);
    const { flows } = (await whole()).components.securitySchemes.oauth2;
    for (const flow of [flows.clientCredentials, flows.authorizationCode]) {
      const own = Object.entries(flow.scopes).filter(([scope]) => scope.startsWith('loyalty'));
      expect(own).toEqual([
        ['loyalty:read', 'loyalty:read of the service loyalty'],
        ['loyalty.sensitive:read', 'loyalty.sensitive:read of the service loyalty'],
      ]);
    }
    // Another's operation in its description describes nothing.
    expect((await described())['/svc/v3/contacts/individuals'].get.operationId).toBe('listIndividuals');
    // A requirement of the whole document, and words of its own for a scope and for another's.
    const security = [{ oauth2: ['loyalty:write'] }];
    const scopes = { 'loyalty:write': 'change cards', openid: 'nothing' };
    const scheme = { type: 'oauth2', flows: { authorizationCode: { tokenUrl: '/auth/token', scopes } } };
    const levels = { get: { operationId: 'listLevels', responses: {} } };
    const next = createDocument(operations) as { readonly paths: object };
    loyalty.describe({
      ...next,
      security,
      paths: { ...next.paths, '/svc/v3/loyalty/levels': levels },
      components: { securitySchemes: { oauth2: scheme }, schemas: { Thing: { type: 'object' } } },
    });
    await becomes(200, '/svc/v3/loyalty/levels', 'loyalty:write');
    expect((await described())['/svc/v3/loyalty/levels'].get.security).toEqual(security);
    const changed = (await whole()).components.securitySchemes.oauth2.flows.authorizationCode.scopes;
    expect(changed).toMatchObject({ 'loyalty:write': 'change cards', openid: 'know who you are' });
    loyalty.describe(createDocument(operations));
  });

  test('that moves is called at its new address', async () => {
    const moved = await startUpstream(createDocument(operations));
    await save([row({ url: moved.url })]);
    await waitUntil(async () => (await statusOf(CARDS, 'loyalty:read')) === 200 && moved.received.length > 0);
    await moved.close();
  });

  test('that is away answers 503 in the envelope, and the gateway is ready without it', async () => {
    await save([row({ url: 'http://127.0.0.1:1' })]);
    await becomes(503, CARDS, 'loyalty:read');
    const never = { name: 'never', url: 'http://127.0.0.1:1', prefixes: ['/svc/v3/never'] };
    await save([row(), never]);
    await becomes(503, '/svc/v3/never/seen');
    expect((await its.call('/svc/v3/never/seen')).body).toMatchObject({ status: 'service_unavailable', data: null });
    expect((await its.plain('/health/ready')).status).toBe(200);
  });

  test('keeps its last good row while the file has what cannot be used', async () => {
    const recoveries = () => log.filter(({ message }) => message === 'the services file can be used again').length;
    const [before, recovered] = [refusals().length, recoveries()];
    await save([row({ domains: ['orders'] })]);
    await waitUntil(() => refusals().length > before);
    expect(refusals().at(-1)?.reason).toMatch(/orders belongs to the row "orders" above/);
    expect(await statusOf(CARDS, 'loyalty:read')).toBe(200);
    expect((await metrics.text()).text).toContain('boxoffice_services_file_refused{service="gateway"} 1');
    await save([row()]);
    await waitUntil(async () => (await metrics.text()).text.includes('_file_refused{service="gateway"} 0'));
    expect([refusals().length, recoveries()]).toEqual([before + 1, recovered + 1]);
  });
});
