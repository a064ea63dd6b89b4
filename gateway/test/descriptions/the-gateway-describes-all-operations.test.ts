// rule 1: The point-of-sale API is alpha, and its description says so | gateway/src/descriptions/own-operations.ts
// rule 9: 3: version 1.0, alpha, base path `/tnwr/v1/` | gateway/src/descriptions/own-operations.ts

import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { registry } from '@boxoffice/envelope';
import { dereference } from '@boxoffice/http';
import { describe, expect, test } from '@jest/globals';
import { createDocument } from '../fixtures/describe.ts';
import { ISSUER } from '../fixtures/fake-authorizer.ts';
import { type Json, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

const its = useFixture(() => startInstallation());

const operationsOf = (document: Json) =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

/** Every reference must resolve. */
const danglingIn = (document: Json): string[] =>
  [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    .map(([, path = '']) => path)
    .filter((path) => path.split('/').reduce<Json | undefined>((at, name) => at?.[name], document) === undefined);

describe('GET /openapi.json', () => {
  test('joins the services’ descriptions and the gateway’s own operations in one document', async () => {
    const { status, body, headers } = await its.call('/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: ISSUER }] });
    const paths = Object.keys(body.paths ?? {});
    for (const path of ['/openapi.json', '/errors', '/auth/token', '/svc/v3/contacts/individuals/{contactNumber}'])
      expect(paths).toContain(path);
    expect(paths.filter((path) => path.startsWith('/tnwr'))).toEqual([]);
    const ids = operationsOf(body).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(danglingIn(body)).toEqual([]);
  });

  test('documents the gateway’s own error responses', async () => {
    const { body } = await its.call('/openapi.json');
    for (const { path, method, operation } of operationsOf(body)) {
      const statuses = Object.keys(operation.responses ?? {});
      for (const status of ['400', '408', '429', '431', '500', '502', '503'])
        expect([path, method, statuses.includes(status)]).toEqual([path, method, true]);
    }
    const create = dereference(body, ['responses']).paths?.['/contacts/individuals']?.post?.responses;
    expect(Object.keys(create ?? {})).toEqual(expect.arrayContaining(['200', '401', '403', '413']));
    expect(create?.['429']?.headers).toHaveProperty('Retry-After');
    expect(create?.['401']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    });
  });

  test('omits operations that are not routed', async () => {
    its.contacts.describe(
      createDocument([
        ['GET /svc/v3/contacts/a', 'contacts:read', 'getA'],
        ['GET /svc/v3/contacts/b', 'orders:read', 'getB'],
        ['GET /auth/c', 'contacts:read', 'getC'],
      ]),
    );
    await waitUntil(async () => (await its.call('/svc/v3/contacts/a')).status === 401);
    const paths = Object.keys((await its.call('/openapi.json')).body.paths ?? {});
    expect(paths.filter((path) => /^\/(svc\/v3\/contacts|auth\/c)/.test(path))).toEqual(['/svc/v3/contacts/a']);
  });

  test('separates different components of one name', async () => {
    its.contacts.describe(
      createDocument([['GET /svc/v3/contacts/a', 'contacts:read', 'getA']], { type: 'object', title: 'another thing' }),
    );
    await waitUntil(async () => JSON.stringify((await its.call('/openapi.json')).body).includes('another thing'));
    const { body } = await its.call('/openapi.json');
    expect(danglingIn(body)).toEqual([]);
    const schemaOf = (path: string) => {
      const reference = body.paths?.[path]?.get?.responses?.['200']?.content?.['application/json']?.schema?.$ref;
      return body.components?.schemas?.[String(reference).split('/').at(-1) ?? ''];
    };
    expect(schemaOf('/svc/v3/contacts/a')).toEqual({ type: 'object', title: 'another thing' });
    expect(schemaOf('/svc/v3/clients')).toEqual({ type: 'object' });
  });

  test('has an ETag, is compressed on request, and takes no parameters', async () => {
    const first = await its.call('/openapi.json');
    const etag = String(first.headers.etag);
    // Also as proxies make it that compress.
    for (const known of [etag, `W/${etag}`, etag.replace(/"$/, '-gzip"'), `"other", ${etag.replace(/"$/, '-br"')}`]) {
      const again = await its.call('/openapi.json', { headers: { 'if-none-match': known } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    const changed = await its.call('/openapi.json', { headers: { 'if-none-match': '"other-gzip"' } });
    expect(changed.status).toBe(200);
    const raw = await new Promise<Buffer>((resolve, reject) => {
      const options = { ca: its.ca, headers: { 'accept-encoding': 'gzip' }, agent: false } as const;
      request(`${its.gateway.httpsUrl}/openapi.json`, options, async (response) =>
        resolve(Buffer.concat(await response.toArray())),
      )
        .on('error', reject)
        .end();
    });
    expect(JSON.parse(gunzipSync(raw).toString())).toEqual(first.body);
    const refused = await its.call('/openapi.json?x=1');
    expect([refused.status, refused.body.status]).toEqual([400, 'invalid_parameter']);
    expect((await its.call('/openapi.json', { method: 'HEAD' })).text).toBe('');
  });
});

describe('GET /tnwr/…/openapi.json', () => {
  test.each(['v1', 'vexp'])('%s describes that version, and needs no X-Service-Host', async (version) => {
    const { status, body } = await its.call(`/tnwr/${version}/openapi.json?lang=fr`);
    expect(status).toBe(200);
    expect(Object.keys(body.paths ?? {}).every((path) => path.startsWith(`/tnwr/${version}/`))).toBe(true);
    expect(Object.keys(body.paths ?? {})).toEqual(
      expect.arrayContaining([`/tnwr/${version}/products`, `/tnwr/${version}/openapi.json`]),
    );
    expect(danglingIn(body)).toEqual([]);
    const products = dereference(body, ['responses']).paths?.[`/tnwr/${version}/products`]?.get?.responses;
    const own = `/tnwr/${version}/openapi.json`;
    const { etag } = (await its.call(own)).headers;
    expect((await its.call(own, { headers: { 'if-none-match': String(etag) } })).status).toBe(304);
    const described = body.paths?.[own]?.get;
    expect(Object.keys(described?.responses ?? {})).toContain('304');
    expect(described?.responses?.['200']?.headers).toHaveProperty('ETag');
    expect(Object.values(described?.parameters ?? {}).map(({ $ref }) => $ref)).toEqual([
      '#/components/parameters/RequestId',
      '#/components/parameters/Traceparent',
      '#/components/parameters/IfNoneMatch',
    ]);
    expect(products?.['500']?.content?.['application/json']?.schema).toEqual({
      allOf: [
        { $ref: '#/components/schemas/GatewayFailure' },
        {
          type: 'object',
          required: ['userLoggedOut', 'orderCancelled'],
          properties: { errorCode: { type: 'string', enum: ['internal_error'] } },
        },
      ],
    });
  });

  test.each(['v1', 'vexp'])(
    '%s has the version of the interface, which is alpha, and explains that',
    async (version) => {
      const { info } = (await its.call(`/tnwr/${version}/openapi.json`)).body;
      expect(info).toMatchObject({ version: '1.0.0-alpha', description: expect.stringContaining('alpha stage') });
      expect((await its.call('/openapi.json')).body.info?.version).toMatch(/^\d+\.\d+\.\d+$/);
    },
  );
});

test('GET /errors returns the registry as data', async () => {
  const { status, body } = await its.call('/errors');
  expect([status, body.status, body.details]).toEqual([200, 'success', null]);
  expect(body.data?.items).toEqual(
    Object.values(registry).map(({ http, status: code, domain, when }) => ({ http, status: code, domain, when })),
  );
});
