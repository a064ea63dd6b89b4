import { describe, expect, test } from '@jest/globals';
import { type TSchema, Type } from 'typebox';
import { type AnyOperation, named, nullable, ok, openApiDocument, operation, patchOf } from '../../src/index.ts';

const Address = named('Address', Type.Object({ city: Type.String() }));
const Person = named('Person', Type.Object({ id: Type.String(), home: nullable(Address) }));
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
  openApiDocument({ service: 'things', version: '1', operations });

const schemas = documentOf(
  operationWith('create', NewPerson, Person),
  operationWith('change', named('PersonChanges', patchOf(NewPerson)), Person),
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

  test('must not share a name', () => {
    const other = named('Person', Type.Object({ name: Type.String() }));
    expect(() =>
      documentOf(operationWith('create', NewPerson, Person), operationWith('read', NewPerson, other)),
    ).toThrow('two different schemas are named Person');
  });
});
