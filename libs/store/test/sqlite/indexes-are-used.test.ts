import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { type ClaimRequest, collection, type Document, type Query, type Where } from '../../src/index.ts';
import { claimStep } from '../../src/sqlite/documents.ts';
import { findCandidates } from '../../src/sqlite/due.ts';
import { createTableInfo, describeTable, migrate } from '../../src/sqlite/schema.ts';
import { buildPageReads, buildPageSql, buildSourceSql, buildWhereClauses } from '../../src/sqlite/where.ts';
import type { Value } from '../../src/sqlite/writer/protocol.ts';

const places = collection('places', [
  { name: 'by_created', fields: ['createdAt'] },
  { name: 'by_id', fields: ['id'] },
  { name: 'by_city', fields: ['address.city', 'createdAt'] },
  { name: 'stock', fields: ['performanceId', 'state', 'spread'] },
  { name: 'due', fields: ['heldUntil'], acrossInstitutions: true },
  { name: 'email', fields: ['emailKey'], unique: true },
]);
const table = createTableInfo(places);
const jobs = collection('jobs', [{ name: 'by_created', fields: ['createdAt'] }], { work: ['first', 'second'] });
const database = new DatabaseSync(':memory:');
migrate(database, [describeTable(places), describeTable(jobs)]);

const plan = (sql: string, values: readonly Value[]): string =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map((row) => String(row.detail))
    .join('; ');

const findPlan = (query: Query, across = false) =>
  buildPageReads(query, table.indexed).map(({ conditions, order }) => {
    const scope = buildWhereClauses(query.where ?? {}, across ? undefined : 'inst', table.indexed);
    const { sql, values } = buildPageSql(table, buildSourceSql(table, query), [...scope, ...conditions], order, 20);
    return plan(sql, values);
  });

const claimPlan = (request: ClaimRequest<Document>) => {
  const [sql, , values] = claimStep(table, 'inst', request);
  return plan(sql, values as readonly Value[]);
};

const after = (value: string | null) => ({ after: { value, id: 'x' } });

describe('a declared index serves', () => {
  const served: readonly [string, string, Query][] = [
    ['the first page of a list', 'places.by_created', { orderBy: 'createdAt' }],
    ['a deep cursor', 'places.by_created', { orderBy: 'createdAt', ...after('2026') }],
    ['a deep cursor, descending', 'places.by_created', { orderBy: 'createdAt', descending: true, ...after('2026') }],
    ['a cursor among nulls', 'places.by_created', { orderBy: 'createdAt', ...after(null) }],
    ['a list by id', 'places.by_id', after('x')],
    [
      'an ordered selection',
      'places.by_city',
      { where: { 'address.city': 'Lyon' }, orderBy: 'createdAt', ...after('2026') },
    ],
    ['a range', 'places.by_created', { where: { createdAt: { gte: '2026' } }, orderBy: 'createdAt', ...after('2027') }],
    ['a look-up', 'places.email', { where: { emailKey: 'ada' }, orderBy: 'emailKey' }],
  ];
  for (const [what, index, query] of served) {
    test(what, () => {
      for (const detail of findPlan(query)) {
        expect(detail).toContain(`USING INDEX ${index} (institution=?`);
        expect(detail).not.toMatch(/SCAN|TEMP B-TREE/);
      }
    });
  }

  test('several values in the order of another field, where the query names the index', () => {
    const query = { where: { 'address.city': { in: ['Lyon', 'Bern'] } }, orderBy: 'createdAt' };
    expect(findPlan(query)).toEqual([expect.stringContaining('places.by_created')]);
    expect(findPlan({ ...query, index: 'by_city' })).toEqual([
      expect.stringContaining('INDEX places.by_city (institution=? AND $address.city=?'),
    ]);
    expect(() => findPlan({ ...query, index: 'by_name' })).toThrow('places has no index by_name');
  });

  test('named ids are looked up one by one, whatever the other conditions and the named index are', () => {
    const ids = { id: { in: ['a', 'b'] } };
    const queries: Where[] = [ids, { ...ids, createdAt: '2026' }, { id: 'a', performanceId: 'p' }];
    for (const where of queries) {
      for (const detail of [...findPlan({ where }), ...findPlan({ where, index: 'by_city' })]) {
        expect(detail).toMatch(/SEARCH places USING (INDEX|COVERING INDEX)? ?\S* ?\(id=\?\)/);
        expect(detail).not.toContain('SCAN places');
      }
    }
  });

  test('a deep cursor among ties: it narrows by value and id, not by value alone', () => {
    expect(findPlan({ orderBy: 'createdAt', ...after('2026') })).toEqual([
      expect.stringContaining('(institution=? AND ($createdAt,id)>(?,?))'),
    ]);
  });

  test('a sweep across institutions', () => {
    const [detail] = findPlan({ where: { heldUntil: { lt: 5 } }, orderBy: 'heldUntil' }, true);
    expect(detail).toMatch(/^SEARCH places USING INDEX places.due \(\$heldUntil<\?\)$/);
  });

  test('a look-up of an id and of several ids', () => {
    for (const id of ['x', { in: ['x', 'y'] }]) {
      const [detail] = findPlan({ where: { id } });
      expect(detail).toMatch(/USING (COVERING )?INDEX (sqlite_autoindex_places_1|places\.by_id) .*id=\?/);
      expect(detail).not.toMatch(/SCAN places/);
    }
  });

  test('a claim from a random position, on both of its ranges, without sorting', () => {
    const where = { performanceId: 'p', state: 'free' };
    const detail = claimPlan({ where, set: {}, limit: 2, spread: 'spread' });
    const range = (sign: string) =>
      `INDEX places.stock (institution=? AND $performanceId=? AND $state=? AND $spread${sign}?)`;
    expect(detail).toContain(range('>'));
    expect(detail).toContain(range('<'));
    expect(detail).not.toMatch(/SCAN places|TEMP B-TREE/);
  });

  test('a claim of all', () => {
    const detail = claimPlan({ where: { performanceId: 'p', state: 'held' }, set: {} });
    expect(detail).toContain('INDEX places.stock (institution=? AND $performanceId=? AND $state=?)');
  });
});

test('due work is found by the index of its earliest instant, in order', () => {
  const request = { now: 1, limit: 10, forMs: { first: 1, second: 1 }, except: ['opera'] };
  const found = findCandidates(createTableInfo(jobs), request);
  const detail = plan(found?.sql ?? '', found?.values ?? []);
  expect(detail).toContain('SEARCH jobs USING INDEX jobs.$due (due_at<?)');
  expect(detail).not.toMatch(/SCAN jobs|TEMP B-TREE/);
});

describe('the engine’s own tables', () => {
  const statements: readonly [string, string][] = [
    ['pending events', 'SELECT event FROM "$outbox" WHERE at <= ? ORDER BY seq LIMIT ?'],
    ['a remembered answer', 'SELECT fingerprint, answer FROM "$answers" WHERE key = ? AND expires_at > ?'],
    ['expired answers', 'SELECT key FROM "$answers" WHERE expires_at <= ? ORDER BY expires_at LIMIT 1000'],
    ['expired subjects', 'SELECT subject, key FROM "$subjects" WHERE expires_at <= ? ORDER BY expires_at LIMIT 1000'],
    [
      'answers of a subject',
      'DELETE FROM "$answers" WHERE (key, expires_at) IN (SELECT key, expires_at FROM "$subjects" WHERE subject = ?)',
    ],
  ];
  for (const [what, sql] of statements) {
    test(`${what} are found by a key, in order`, () => {
      const detail = plan(sql, Array(sql.split('?').length - 1).fill(1));
      expect(detail).not.toMatch(/SCAN \$(answers|subjects)|TEMP B-TREE/);
    });
  }
});
