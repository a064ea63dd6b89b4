import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { databaseName, withoutCredentials } from '../../src/mongo/connection/client.ts';
import { bodyOf, decode, encode } from '../../src/mongo/records/body.ts';
import { schemaOf } from '../../src/mongo/records/schema.ts';
import { pageOf } from '../../src/mongo/records/where.ts';

// What can be shown of the MongoDB engine where there is no MongoDB, and what no server of the tests can show.

const keysOf = (fields: readonly string[], more: object = {}) =>
  schemaOf({ name: 'things', indexes: [{ name: 'one', fields, ...more }] }).indexes.map((one) =>
    Object.keys(one.key).join(' '),
  );

describe('the MongoDB engine', () => {
  test('any JSON comes back as it was written, and no name in it means anything to MongoDB', () => {
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

  test('a page after a cursor is read as ranges of the index of its order, merged', () => {
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

  test('every declared index begins with the institution, unless it is across institutions', () => {
    expect(keysOf(['name'])).toContain('institution body.name _id');
    expect(keysOf(['name'], { acrossInstitutions: true })).toContain('body.name _id');
    expect(keysOf([`name`], { unique: true }).filter((one) => one.includes('body.'))).toEqual([
      'institution body.name _id',
    ]);
  });

  test('databases are named after the prefix in the URL and the service', () => {
    expect(databaseName('mongodb://a:b@one:1,two:2/festival?replicaSet=x', 'contacts')).toBe('festival_contacts');
    expect(databaseName('mongodb+srv://host', 'contacts')).toBe('boxoffice_contacts');
    expect(databaseName('mongodb://host:1/?w=1', 'contacts')).toBe('boxoffice_contacts');
    expect(() => databaseName('mongodb://host', 'a/b')).toThrow('is no name of a store');
    expect(withoutCredentials('mongodb://a:b@one:1/x')).toBe('mongodb://one:1/x');
  });
});
