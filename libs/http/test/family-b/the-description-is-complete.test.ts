import SwaggerParser from '@apidevtools/swagger-parser';
import { posRegistry } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import { buildOpenApiDocument, dereference, familyB, findExampleFaults } from '../../src/index.ts';
import { items } from './shop.ts';

interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly responses: Record<
    string,
    { headers: object; content: Record<string, { examples: Record<string, object>; schema: object }> }
  >;
}

const described = buildOpenApiDocument({
  service: 'shop',
  version: '1',
  operations: items,
  family: familyB,
  serverUrl: 'https://shop.example',
});
const document = dereference(described, ['requestBodies', 'responses']) as {
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, object>>;
};
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

test('a validator of OpenAPI 3.1 accepts the description, and its examples match', async () => {
  await SwaggerParser.validate(structuredClone(described) as never);
  expect(findExampleFaults(items, familyB)).toEqual([]);
});

test('X-Service-Host is a required header, X-auth-token an apiKey', () => {
  expect(document.components.parameters?.ServiceHost).toMatchObject({
    name: 'X-Service-Host',
    in: 'header',
    required: true,
  });
  expect(document.components.securitySchemes).toEqual({
    sessionToken: expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-auth-token' }),
  });
  for (const { parameters } of operations)
    expect(parameters.map(({ $ref }) => $ref)).toContain('#/components/parameters/ServiceHost');
  expect(document.paths['/v1/items']?.get?.security).toEqual([{}, { sessionToken: [] }]);
  expect(document.paths['/v1/me']?.get?.security).toEqual([{ sessionToken: [] }]);
});

test('an alias has its own operationId', () => {
  expect(document.paths['/vexp/items']?.get?.operationId).toBe('listItemsExperimental');
});

test('the schema of every error lists exactly the codes that the operation can answer with its status', () => {
  for (const { responses } of operations)
    for (const [status, { content }] of Object.entries(responses).filter(([one]) => Number(one) >= 400)) {
      const { schema, examples } = content['application/json'] ?? { schema: {}, examples: {} };
      expect([status, schema]).toEqual([
        status,
        {
          allOf: [
            { $ref: '#/components/schemas/Failure' },
            {
              type: 'object',
              ...(status === '500' ? { required: ['userLoggedOut', 'orderCancelled'] } : {}),
              properties: { errorCode: { type: 'string', enum: Object.keys(examples) } },
            },
          ],
        },
      ]);
    }
});

test('every operation lists its own codes, each with the status of the table', () => {
  const codesOf = (path: string, method: string) =>
    Object.entries(document.paths[path]?.[method]?.responses ?? {})
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { content }]) =>
        Object.keys(content['application/json']?.examples ?? {}).map((code) => [code, Number(status)] as const),
      );
  const table: Readonly<Record<string, { http: number }>> = posRegistry;
  for (const [path, item] of Object.entries(document.paths))
    for (const method of Object.keys(item))
      for (const [code, status] of codesOf(path, method)) expect([code, status]).toEqual([code, table[code]?.http]);
  const added = codesOf('/v1/items', 'post').map(([code]) => code);
  expect(added).toEqual(
    expect.arrayContaining([
      'context_missing',
      'context_invalid',
      'session_invalid',
      'unsupported_media_type',
      'payload_too_large',
      'validation_error',
      'cart_places_unavailable',
      'internal_error',
      'origin_not_allowed',
    ]),
  );
  for (const status of ['409', '412', '422', '501', '502', '503'])
    expect(Object.keys(document.paths['/v1/items']?.post?.responses ?? {})).not.toContain(status);
});

test('a list’s answer has its headers', () => {
  expect(Object.keys(document.paths['/v1/items']?.get?.responses['200']?.headers ?? {})).toEqual(
    expect.arrayContaining(['X-Total-Amount', 'Link', 'Content-Language']),
  );
});
