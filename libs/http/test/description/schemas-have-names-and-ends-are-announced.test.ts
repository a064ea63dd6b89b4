import { describe, expect, test } from '@jest/globals';
import { type TSchema, Type } from 'typebox';
import { findAnnouncedDeprecation as announcementOf } from '../../src/description/deprecation.ts';
import {
  type AnyOperation,
  buildOpenApiDocument,
  createNullableSchema,
  createPatchSchema,
  deprecateMember,
  named,
  ok,
  operation,
} from '../../src/index.ts';
import { openForSuite, start } from '../fixture.ts';
import { things } from '../things.ts';

const Address = named('Address', Type.Object({ city: Type.String() }));
const Person = named('Person', Type.Object({ id: Type.String(), home: createNullableSchema(Address) }));
const NewPerson = named('NewPerson', Type.Object({ home: Type.Optional(Address) }));
const People = Type.Record(Type.String({ pattern: '^per_' }), Person);

const operationWith = (id: string, body: TSchema, answer: TSchema): AnyOperation =>
  operation({
    id,
    method: 'post',
    path: `/${id}`,
    access: 'things:write',
    summary: id,
    body,
    answers: { 200: answer },
    example: { body: {}, answer: {} },
    handle: () => ok({}),
  });

type Json = ReturnType<typeof JSON.parse>;

const documentOf = (...operations: AnyOperation[]): Json =>
  buildOpenApiDocument({ service: 'things', version: '1', operations });

const schemas = documentOf(
  operationWith('create', NewPerson, Person),
  operationWith('change', named('PersonChanges', createPatchSchema(NewPerson)), Person),
  operationWith('list', NewPerson, People),
).components.schemas;

describe('the schemas of a description', () => {
  test('appear once each, by name, with the envelope of their answers', () => {
    expect(Object.keys(schemas)).toEqual([
      ...['Address', 'AddressChanges', 'AddressInput', 'Failure', 'ListAnswer', 'NewPerson', 'Person', 'PersonAnswer'],
      'PersonChanges',
    ]);
    expect(schemas.PersonAnswer.properties.data).toEqual({ $ref: '#/components/schemas/Person' });
  });

  test('refer to the schema that they make nullable', () => {
    expect(schemas.Person.properties.home).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Address' }, { type: 'null' }],
    });
  });

  test('are closed in requests, and get a second name if answers have them, too', () => {
    expect(schemas.NewPerson).toMatchObject({
      properties: { home: { $ref: '#/components/schemas/AddressInput' } },
      additionalProperties: false,
    });
    expect(schemas.AddressInput).toEqual({ ...schemas.Address, additionalProperties: false });
  });

  test('describe records by additionalProperties', () => {
    expect(schemas.ListAnswer.properties.data).toEqual({
      type: 'object',
      propertyNames: { pattern: '^per_' },
      additionalProperties: { $ref: '#/components/schemas/Person' },
    });
  });

  test('have a boolean constant without its type, of which generators would make an enumeration of texts', () => {
    const Consent = named('Consent', Type.Object({ given: Type.Literal(true), word: Type.Literal('yes') }));
    const { given, word } = documentOf(operationWith('consent', Consent, Person)).components.schemas.Consent.properties;
    expect([given, word]).toEqual([{ const: true }, { type: 'string', const: 'yes' }]);
  });

  test('must not share a name', () => {
    const other = named('Person', Type.Object({ name: Type.String() }));
    expect(() =>
      documentOf(operationWith('create', NewPerson, Person), operationWith('read', NewPerson, other)),
    ).toThrow('two different schemas are named Person');
  });
});

const deprecated = { since: '2027-01-31', sunset: '2027-08-01' };
const operations = things.map((one) => (one.id === 'getThing' ? { ...one, deprecated } : one));

const app = openForSuite(() => start(operations));

const get = (headers: Record<string, string>, scopes = ['things:read']) =>
  app.call('/svc/v3/things/a', { as: { operation: 'getThing', scopes }, headers });

const announcedBy = ({ headers }: Response) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));

test('every answer of a deprecated operation says since when, until when, and where to read on', async () => {
  const announced = ['@1801353600', 'Sun, 01 Aug 2027 00:00:00 GMT', '</docs/changes>; rel="sunset"'];
  const answers = [await get({}), await get({ 'If-None-Match': '*' }), await get({}, [])];
  expect(answers.map(({ status }) => status)).toEqual([200, 304, 403]);
  expect(answers.map(announcedBy)).toEqual([announced, announced, announced]);
});

test('answers of other operations announce nothing', async () => {
  const list = await app.call('/svc/v3/things', { as: { operation: 'listThings', scopes: ['things:read'] } });
  expect([list.status, ...announcedBy(list)]).toEqual([200, null, null, null]);
});

test('it is described as deprecated, with its headers, and no other one is', () => {
  const { paths } = buildOpenApiDocument({ service: 'things', version: '0.0.0', operations }) as {
    paths: Record<string, Record<string, { deprecated?: boolean; responses: Record<string, { headers: object }> }>>;
  };
  const marked = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, one]) => (one.deprecated ? [`${method} ${path}`] : [])),
  );
  expect(marked).toEqual(['get /svc/v3/things/{id}']);
  const { headers } = paths['/svc/v3/things/{id}']?.get?.responses['200'] ?? {};
  expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(['Deprecation', 'Sunset']));
});

const early = { since: '2027-01-31', sunset: '2027-12-01' };
const late = { since: '2027-03-31', sunset: '2027-08-01' };
const { answers, ...thing } = things.find(({ id }) => id === 'getThing') as AnyOperation;

/** An operation of whose answer a member deep within will go, and a parameter. */
const withMembers = (): AnyOperation => ({
  ...thing,
  id: 'getColour',
  path: '/svc/v3/things/{id}/colour',
  query: { shade: Type.Optional(deprecateMember(Type.String(), late)) },
  answers: {
    200: Type.Object({
      of: Type.Optional(
        Type.Array(named('Part', Type.Object({ colour: Type.Optional(deprecateMember(Type.String(), early)) }))),
      ),
    }),
  },
  example: { params: { id: 'thg_1' }, answer: { of: [{ colour: 'red' }] } },
});

test('a member or a parameter that will go is announced by the operations that have it', () => {
  expect(announcementOf(withMembers())).toEqual({ since: '2027-01-31', sunset: '2027-08-01' });
  expect(announcementOf({ ...thing, answers })).toBeUndefined();
  expect(announcementOf({ ...withMembers(), deprecated })).toBe(deprecated);
});

test('the member and the parameter are described as deprecated, and the operation is not', () => {
  const document = buildOpenApiDocument({ service: 'things', version: '0.0.0', operations: [withMembers()] }) as {
    paths: Record<string, { get: { deprecated?: boolean; parameters: object[]; responses: Record<string, unknown> } }>;
    components: { schemas: Record<string, unknown> };
  };
  const { get: described } = document.paths['/svc/v3/things/{id}/colour'] ?? {};
  expect(described?.deprecated).toBeUndefined();
  expect(described?.parameters).toContainEqual(expect.objectContaining({ name: 'shade', deprecated: true }));
  expect(described?.responses['200']).toMatchObject({ headers: { Sunset: expect.anything() } });
  expect(document.components.schemas.Part).toMatchObject({ properties: { colour: { deprecated: true } } });
});

test('its answers have the headers', async () => {
  const going = await start([withMembers()]);
  try {
    const answer = await going.call('/svc/v3/things/a/colour', {
      as: { operation: 'getColour', scopes: ['things:read'] },
    });
    expect(announcedBy(answer)).toEqual([
      '@1801353600',
      'Sun, 01 Aug 2027 00:00:00 GMT',
      '</docs/changes>; rel="sunset"',
    ]);
  } finally {
    await going.close();
  }
});
