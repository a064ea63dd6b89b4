import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { databaseName, withoutCredentials } from '../../src/mongo/connection/client.ts';
import { bodyOf, decode, encode } from '../../src/mongo/records/body.ts';
import { schemaOf } from '../../src/mongo/records/schema.ts';
import { pageOf } from '../../src/mongo/records/where.ts';

// The properties of the MongoDB engine that need no server, and those that the tests' server does not have.

const keysOf = (fields: readonly string[], more: object = {}) =>
  schemaOf({ name: 'things', indexes: [{ name: 'one', fields, ...more }] }).indexes.map((one) =>
    Object.keys(one.key).join(' '),
  );

describe('the MongoDB engine', () => {
  test('reads any JSON back unchanged, and no member name has a meaning to MongoDB', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const body = bodyOf(value);
        const { body: stored, escaped } = encode(body);
        expect(decode(stored, escaped)).toEqual(body);
        const names = (one: unknown): string[] =>
          one === null || typeof one !== 'object'
            ? []
            : Object.entries(one).flatMap(([name, inner]) => [...(Array.isArray(one) ? [] : [name]), ...names(inner)]);
        for (const name of names(stored)) expect(name).not.toMatch(/^\$|[.\0]/);
      }),
    );
  });

  test('reads a page after a cursor as merged ranges of the index of its order', () => {
    const query = { where: { show: 's' }, orderBy: 'rank', after: { value: 7, id: 'x' }, limit: 20 };
    const scope = [{ institution: 'inst' }, { 'body.show': 's' }];
    expect(pageOf(query, 'inst')).toEqual({
      filter: {
        $or: [
          { $and: [...scope, { 'body.rank': 7, _id: { $gt: 'x' } }] },
          { $and: [...scope, { 'body.rank': { $gt: 7 } }] },
        ],
      },
      sort: { 'body.rank': 1, _id: 1 },
    });
    expect(keysOf(['show', 'rank'])).toContain('institution body.show body.rank _id');
  });

  test('begins every declared index with the institution, unless it is across institutions', () => {
    expect(keysOf(['name'])).toContain('institution body.name _id');
    expect(keysOf(['name'], { acrossInstitutions: true })).toContain('body.name _id');
    expect(keysOf([`name`], { unique: true }).filter((one) => one.includes('body.'))).toEqual([
      'institution body.name _id',
    ]);
  });

  test('names databases by the prefix in the URL and the service', () => {
    expect(databaseName('mongodb://a:b@one:1,two:2/festival?replicaSet=x', 'contacts')).toBe('festival_contacts');
    expect(databaseName('mongodb+srv://host', 'contacts')).toBe('boxoffice_contacts');
    expect(databaseName('mongodb://host:1/?w=1', 'contacts')).toBe('boxoffice_contacts');
    expect(() => databaseName('mongodb://host', 'a/b')).toThrow('is not a store name');
    expect(withoutCredentials('mongodb://a:b@one:1/x')).toBe('mongodb://one:1/x');
  });
});
