// rule 1: Each action maps to one endpoint and one HTTP method | libs/http/src/operation.ts

import SwaggerParser from '@apidevtools/swagger-parser';
import { registry } from '@boxoffice/envelope';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { buildOpenApiDocument, dereference, familyA, findExampleFaults, ok, operation } from '../../src/index.ts';
import { start } from '../fixture.ts';
import { things } from '../things.ts';

interface Described {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly { readonly name?: string; readonly $ref?: string; readonly schema?: object }[];
  readonly requestBody?: { content: Record<string, { schema: { additionalProperties?: boolean } }> };
  readonly responses: Record<
    string,
    { description: string; content?: Record<string, { schema: object; examples: object }> }
  >;
}

type Flows = Record<'clientCredentials' | 'authorizationCode', { scopes: Record<string, string> }>;

interface Document {
  readonly paths: Record<string, Record<string, Described>>;
  readonly servers: { url: string }[];
  readonly components: {
    readonly parameters: Record<string, { schema: object }>;
    readonly securitySchemes: { oauth2: { flows: Flows } };
  };
}

const description = { service: 'things', version: '1.2.3', operations: things, serverUrl: 'https://tickets.example' };
const document = dereference(buildOpenApiDocument(description), ['requestBodies', 'responses']) as Document;

test('a validator of OpenAPI 3.1 accepts the document that a service serves', async () => {
  const app = await start(things, { serverUrl: 'https://tickets.example' });
  const served = await fetch(`${app.url}/openapi.json`);
  await app.close();
  expect(served.status).toBe(200);
  const found = await served.json();
  expect(found).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://tickets.example' }] });
  await SwaggerParser.validate(found as never);
});

test('the family decides the errors that any operation can answer, also in the served document', async () => {
  const family = { ...familyA, always: familyA.always.filter((code) => code !== 'bad_gateway') };
  const app = await start(things, { family });
  const served = (await (await fetch(`${app.url}/openapi.json`)).json()) as Document;
  await app.close();
  const statusesOf = ({ paths }: Document) =>
    Object.values(paths).flatMap((path) => Object.values(path).map(({ responses }) => Object.keys(responses)));
  for (const statuses of statusesOf(document)) expect(statuses).toEqual(expect.arrayContaining(['502', '503']));
  for (const statuses of statusesOf(served)) {
    expect(statuses).toContain('503');
    expect(statuses).not.toContain('502');
  }
});

describe('every operation', () => {
  const described = Object.values(document.paths).flatMap((path) => Object.values(path));

  test('appears once with its id, its aliases with their own ids; internal operations are omitted', () => {
    const ids = described.map(({ operationId }) => operationId);
    expect(ids).toContain('createThingUnprefixed');
    expect(ids).not.toContain('countThings');
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has its scope, its service, and each status by number with a schema and examples', () => {
    expect(document.paths['/svc/v3/things']?.post).toMatchObject({
      security: [{ oauth2: ['things:write'] }],
      'x-service': 'things',
    });
    expect(document.paths['/svc/v3/things/key']?.get?.security).toEqual([]);
    for (const { responses } of described) {
      for (const [status, { content }] of Object.entries(responses)) {
        expect(status).toMatch(/^\d{3}$/);
        if (status === '304') continue;
        expect(content?.['application/json']?.schema).toBeDefined();
        expect(Object.keys(content?.['application/json']?.examples ?? {}).length).toBeGreaterThan(0);
      }
    }
    const statuses = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {});
    const common = ['400', '408', '429', '431', '500', '502', '503'];
    const known = [...common, '401', '403'];
    const sorted = (...codes: string[]) => codes.toSorted();
    expect(statuses('/svc/v3/things', 'get')).toEqual(sorted('200', ...known));
    expect(statuses('/svc/v3/things', 'post')).toEqual(sorted('201', '409', '413', '422', ...known));
    expect(statuses('/svc/v3/things/{id}', 'get')).toEqual(sorted('200', '304', '404', ...known));
    expect(statuses('/svc/v3/things/{id}', 'put')).toEqual(sorted('200', '404', '412', '413', '422', ...known));
    expect(statuses('/svc/v3/things/{id}', 'delete')).toEqual(sorted('200', '404', '413', '501', ...known));
    expect(statuses('/auth/token', 'post')).toEqual(sorted('200', '401', '413', ...common));
  });

  test('has a closed JSON body, and no constraint on parameters that every value satisfies', () => {
    const schema = document.paths['/svc/v3/things']?.post?.requestBody?.content['application/json']?.schema;
    expect(schema?.additionalProperties).toBe(false);
    const { parameters = [] } = document.paths['/svc/v3/things']?.post ?? {};
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/RequestId' });
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
    const shared = document.components;
    expect(shared.parameters.RequestId?.schema).toEqual({ type: 'string' });
    expect(shared.parameters.Traceparent?.schema).toEqual({ type: 'string' });
  });

  test('lists each code of an error answer with its meaning', () => {
    const codes = described
      .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400))
      .flatMap(([, { description, content }]) =>
        Object.keys(content?.['application/json']?.examples ?? {}).map((code) => ({ code, description })),
      );
    expect(codes.length).toBeGreaterThan(50);
    for (const { code, description } of codes) {
      const { status, when } = registry[code as keyof typeof registry];
      expect(description).toContain(`- \`${status}\`: `);
      expect(description).toContain(when);
    }
  });

  test('describes the one error that carries data as one object, so that no reader tells bodies apart first', () => {
    const conflict = document.paths['/svc/v3/things']?.post?.responses['409']?.content?.['application/json'];
    expect(conflict?.schema).toMatchObject({
      type: 'object',
      required: ['status', 'details', 'data'],
      properties: { data: { anyOf: [{ required: expect.any(Array) }, { type: 'null' }] } },
    });
    expect(conflict?.examples).toMatchObject({
      contact_duplicate_email: { value: { status: registry.contact_duplicate_email.status, data: { id: 'thg_1' } } },
    });
  });
});

test('the description has both flows: clients get tokens for themselves, and for users who sign in', () => {
  const { clientCredentials, authorizationCode } = document.components.securitySchemes.oauth2.flows;
  const tokenUrl = 'https://tickets.example/auth/token';
  expect(clientCredentials).toMatchObject({ tokenUrl });
  const authorizationUrl = 'https://tickets.example/auth/authorize';
  expect(authorizationCode).toMatchObject({ authorizationUrl, tokenUrl, refreshUrl: tokenUrl });
  const [forClients, forUsers] = [Object.keys(clientCredentials.scopes), Object.keys(authorizationCode.scopes)];
  expect(forClients.length).toBeGreaterThan(0);
  expect(forUsers).toEqual([...forClients, 'openid', 'profile', 'email', 'offline_access']);
});

describe('examples', () => {
  test('match their schemas', () => expect(findExampleFaults(things)).toEqual([]));

  test('are reported by name where they are missing or wrong', () => {
    const Wrong = operation({
      id: 'wrong',
      method: 'post',
      path: '/wrong/{id}',
      access: 'public',
      summary: 'Is described wrongly',
      params: { id: Type.String() },
      body: Type.Object({ a: Type.Integer({ maximum: 3 }) }),
      answers: { 200: Type.Object({ b: Type.String() }) },
      example: { body: { a: 4 }, answer: { b: 5 } },
      handle: () => ok({ b: '' }),
    });
    expect(findExampleFaults([Wrong])).toEqual([
      'wrong, example.params: it is missing',
      'wrong, example.body: $.a must be <= 3.',
      'wrong, example.answer as 200: $.data.b must be string.',
    ]);
  });
});

test('an app with an id or a path that is declared twice does not start', () => {
  const [first, second] = things;
  if (!first || !second) throw new Error('no operations');
  const openTwice = (other: object) => () =>
    buildOpenApiDocument({ ...description, operations: [first, { ...second, ...other }] });
  expect(openTwice({ id: first.id })).toThrow('the id createThing is declared twice');
  expect(openTwice({ method: 'post' })).toThrow('POST /svc/v3/things is declared twice');
});

describe('errors with members beside the envelope', () => {
  const responses = document.paths['/auth/token']?.post?.responses;
  const described = (status: string) => responses?.[status]?.content?.['application/json'];

  test('have them in their examples where their schema requires them', () => {
    expect(described('401')).toMatchObject({
      schema: { allOf: [{ $ref: '#/components/schemas/Failure' }, { required: ['error'] }] },
      examples: { unauthorized: { value: { status: 'unauthorized', data: null, error: 'invalid_client' } } },
    });
  });

  test.each(['408', '413', '429', '431', '502', '503'])(
    'need none with %s, which the gateway answers without',
    (status) => {
      expect(described(status)?.schema).toMatchObject({ allOf: [expect.anything(), { required: [] }] });
    },
  );

  test('are reported where an example lacks them', () => {
    const token = things.filter(({ id }) => id === 'issueToken').map((issue) => ({ ...issue, onFault: undefined }));
    expect(findExampleFaults(token)).toContain('issueToken, example of unauthorized: $.error is required.');
  });
});
