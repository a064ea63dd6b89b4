import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServiceClient, type ServiceApi } from '../src/index.ts';
import { type Authority, openAuthority, openFake } from '../src/testkit/index.ts';

interface Operations {
  readonly nameThing: {
    readonly parameters: { readonly query?: never; readonly path: { readonly thingId: string } };
    readonly requestBody: { readonly content: { readonly 'application/json': { readonly name: string } } };
    readonly responses: {
      readonly 200: { readonly content: { readonly 'application/json': { readonly data: { readonly name: string } } } };
    };
  };
}

const api: ServiceApi<Operations> = {
  service: 'things',
  operations: { nameThing: { method: 'POST', path: '/internal/things/{thingId}/name' } },
};

const named = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 5 } },
  additionalProperties: false,
};
const json = (schema: Readonly<Record<string, unknown>>) => ({ content: { 'application/json': { schema } } });
const description = {
  paths: {
    '/internal/things/{thingId}/name': {
      post: {
        operationId: 'nameThing',
        parameters: [{ name: 'thingId', in: 'path', required: true, schema: { type: 'string', maxLength: 5 } }],
        requestBody: json({ $ref: '#/components/schemas/Named' }),
        responses: { 200: json({ type: 'object', properties: { data: { $ref: '#/components/schemas/Named' } } }) },
      },
    },
  },
  components: { schemas: { Named: named } },
};

let authority: Authority;
beforeAll(async () => {
  authority = await openAuthority('shop');
});
afterAll(() => authority.listening.close());

/** Sends a name to a fake that answers with another; returns the outcomes of the call and of closing the fake. */
const exchange = async (sent: object, answered: string) => {
  const fake = await openFake({
    authority,
    api,
    handlers: { nameThing: () => ({ name: answered }) },
    description,
  });
  const caller = { institution: 'opera', client: null, service: 'shop', scopes: [], operation: 'nameThing' };
  const credentials = { tokenFor: async () => authority.sign('things', caller) };
  const client = createServiceClient(api, { url: fake.url, credentials, logger: { warn() {} } });
  const request = { path: { thingId: 'thg_1' }, body: sent as { name: string } };
  const call = await client.call('opera', 'nameThing', request).then(
    ({ name }) => name,
    (error: Error) => error.message,
  );
  const closed = await fake.close().then(
    () => 'as described',
    (error: Error) => error.message,
  );
  return { call, closed };
};

test('a call and an answer that match the release pass', async () => {
  expect(await exchange({ name: 'one' }, 'two')).toEqual({ call: 'two', closed: 'as described' });
});

test.each([
  ['of another type', { name: 1 }],
  ['without a member', {}],
  ['with a member that is not described', { name: 'one', size: 1 }],
])('a body %s is refused, and closing the fake fails', async (_how, body) => {
  const { call, closed } = await exchange(body, 'two');
  expect(call).toMatch(/^things answered 400 /);
  expect(closed).toMatch(/POST \/internal\/things\/thg_1\/name does not match its description/);
});

test('an answer that the release does not allow is a failure, and closing the fake fails', async () => {
  const { call, closed } = await exchange({ name: 'one' }, 'too long');
  expect(call).toMatch(/The things service does not answer/);
  expect(closed).toMatch(/nameThing answered differently from its description: .*data\.name/);
});
