import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { contacts, createDocument, type Row } from '../fixtures/describe.ts';
import { type Reply, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { startUpstream } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';

const its = useFixture(() => startInstallation());

const isWaitingFor = ({ status, text }: Reply, service: string): boolean =>
  status === 503 && text === JSON.stringify({ status: 'starting', waitingFor: [service] });

const describeAnew = async (rows: readonly Row[]): Promise<void> => {
  const marker = `/contacts/marker-${rows.length}-${Date.now()}`;
  its.contacts.describe(createDocument([...rows, [`GET ${marker}`, 'contacts:read', 'getMarker']]));
  await waitUntil(async () => (await its.call(marker)).status === 401);
};

describe('a running gateway', () => {
  test('learns a new operation without a restart, and removes a deleted one', async () => {
    expect((await its.call('/svc/v3/contacts/structures')).status).toBe(404);
    its.contacts.describe(createDocument([['GET /svc/v3/contacts/structures', 'contacts:read', 'listStructures']]));
    const token = its.authorizer.token(['contacts:read']);
    await waitUntil(async () => (await its.as(token)('/svc/v3/contacts/structures')).status === 200);
    expect((await its.call(LIST)).status).toBe(404);
    its.contacts.describe(contacts);
    await waitUntil(async () => (await its.call(LIST)).status === 401);
  });

  test('uses conditional requests: an unchanged description is not sent again', async () => {
    const before = its.contacts.described.length;
    await waitUntil(() => its.contacts.described.length > before + 3);
    expect(its.contacts.described.slice(before + 1)).toEqual(expect.not.arrayContaining([200]));
  });

  test('retains its routes when a description cannot be used', async () => {
    for (const broken of [{ openapi: '2.0' }, { openapi: '3.1.0', paths: 7 }, []]) {
      const before = its.contacts.described.length;
      its.contacts.describe(broken);
      await waitUntil(() => its.contacts.described.length > before + 1);
      expect((await its.call(LIST)).status).toBe(401);
    }
    its.contacts.describe(contacts);
  });
});

describe('a service may describe', () => {
  test('paths below its own prefixes only', async () => {
    await describeAnew([
      ['GET /svc/v3/contactsx/a', 'contacts:read', 'a'],
      ['GET /svc/v3/catalog/stolen', 'contacts:read', 'b'],
      ['POST /auth/stolen', null, 'c'],
      ['GET /tnwr/v1/stolen', null, 'd'],
      ['GET /internal/stolen', 'contacts:read', 'e'],
      ['GET /contacts/../auth/stolen', 'contacts:read', 'f'],
    ]);
    for (const path of [
      '/svc/v3/contactsx/a',
      '/svc/v3/catalog/stolen',
      '/auth/stolen',
      '/tnwr/v1/stolen',
      '/internal/stolen',
    ]) {
      expect([path, (await its.call(path, { method: path.startsWith('/auth') ? 'POST' : 'GET' })).status]).toEqual([
        path,
        404,
      ]);
    }
    expect(
      its.log.some(({ reason }) => reason === 'GET /svc/v3/catalog/stolen is not below a prefix of the service'),
    ).toBe(true);
  });

  test('scopes of its own domain only, and no unlisted public operation', async () => {
    await describeAnew([
      ['GET /svc/v3/contacts/a', 'clients:read', 'a'],
      ['GET /svc/v3/contacts/b', null, 'b'],
      ['GET /svc/v3/contacts/c', 'contacts.sensitive:read', 'c'],
      ['GET /svc/v3/contacts/d', 'contacts', 'd'],
      ['GET /svc/v3/contacts/e', 'contacts.other:read', 'e'],
    ]);
    const statuses = [];
    for (const name of 'abcde') statuses.push((await its.call(`/svc/v3/contacts/${name}`)).status);
    expect(statuses).toEqual([404, 404, 401, 404, 404]);
  });
});

describe('a gateway that starts while a service is down', () => {
  test('restores its routes from the cache, and answers 503 for them', async () => {
    const first = await startInstallation({}, { keep: true });
    await waitUntil(
      async () => (await readFile(join(first.directory, 'gateway', 'contacts.json'), 'utf8').catch(() => '')) !== '',
    );
    await first.close();
    const services = { authorizer: its.authorizer.url, contacts: 'http://127.0.0.1:9' };
    const second = await startInstallation({ services }, { directory: first.directory, ready: false });
    const token = its.authorizer.token(['contacts:read']);
    expect((await second.call(LIST)).status).toBe(401);
    const reply = await second.as(token)(LIST);
    expect([reply.status, reply.body.status]).toEqual([503, 'service_unavailable']);
    expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect((await second.call('/svc/v3/contacts/nowhere')).status).toBe(404);
    await waitUntil(async () => isWaitingFor(await second.plain('/health/ready'), 'contacts'));
    await second.close();
  });

  test('answers 503 below the prefixes of a service that it has never reached, 404 below those of one without a URL', async () => {
    const services = { authorizer: its.authorizer.url, contacts: 'http://127.0.0.1:9', pos: 'http://127.0.0.1:9' };
    const alone = await startInstallation({ services }, { ready: false });
    for (const path of [LIST, '/contacts/x', '/contacts']) {
      const reply = await alone.call(path);
      expect([path, reply.status, reply.body.status]).toEqual([path, 503, 'service_unavailable']);
      expect(reply.headers['retry-after']).toBeDefined();
    }
    expect((await alone.call('/tnwr/v1/products')).body).toMatchObject({
      success: false,
      errorCode: 'internal_error',
      userLoggedOut: false,
      orderCancelled: false,
    });
    expect((await alone.call('/svc/v3/catalog')).status).toBe(404);
    expect((await alone.call('/contactsx')).status).toBe(404);
    await alone.close();
  });

  test('treats damaged cache files as missing', async () => {
    const first = await startInstallation({}, { keep: true });
    await first.close();
    for (const name of ['contacts', 'authorizer', 'pos'])
      await writeFile(join(first.directory, 'gateway', `${name}.json`), '{"etag":"\\"1\\"","docu');
    const second = await startInstallation({}, { directory: first.directory });
    expect((await second.call(LIST)).status).toBe(401);
    await second.close();
  });

  test('is ready once every service has been ready once, and stays ready', async () => {
    const service = await startUpstream(contacts);
    service.setReady(false);
    const services = { authorizer: its.authorizer.url, contacts: service.url };
    const other = await startInstallation({ services }, { ready: false });
    const ready = () => other.plain('/health/ready');
    await waitUntil(async () => (await other.call(LIST)).status === 401);
    await waitUntil(async () => isWaitingFor(await ready(), 'contacts'));
    service.setReady(true);
    await other.gateway.ready();
    expect([(await ready()).status, (await other.call('/health/ready')).body]).toEqual([200, { status: 'ok' }]);
    await service.close();
    expect((await ready()).status).toBe(200);
    await other.close();
  });

  test.each([
    [['broker'], 200],
    [['store', 'broker'], 503],
    [[], 503],
  ])('while a service waits for %j, its readiness is %i', async (waitingFor, status) => {
    const service = await startUpstream(contacts);
    service.setReady(waitingFor);
    const services = { authorizer: its.authorizer.url, contacts: service.url };
    const other = await startInstallation({ services, brokerMs: 0 }, { ready: false });
    const looks = () => service.described.length;
    await waitUntil(() => looks() > 3);
    // The authorizer may be ready a moment later.
    await waitUntil(async () => (await other.plain('/health/ready')).status === status);
    await other.close();
    await service.close();
  });

  test('waits for a service that lacks only its broker for the start time of a broker', async () => {
    const service = await startUpstream(contacts);
    service.setReady(['broker']);
    const services = { authorizer: its.authorizer.url, contacts: service.url };
    const other = await startInstallation({ services, brokerMs: 60_000 }, { ready: false });
    await waitUntil(() => service.described.length > 3);
    await waitUntil(async () => isWaitingFor(await other.plain('/health/ready'), 'contacts'));
    service.setReady(true);
    await other.gateway.ready();
    await other.close();
    await service.close();
  });
});
