import { randomBytes, randomUUID } from 'node:crypto';
import type { Caller } from '@boxoffice/identity';
import { collection, type Document, type Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Type } from 'typebox';
import { type AnyOperation, createPageSchema, listQuery, operation, readPage } from '../../src/index.ts';
import { createCursorCodec, formatCursorOwner, type Page } from '../../src/lists.ts';
import { openForSuite, openTestStore, start } from '../fixture.ts';

interface Note extends Document {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly rank: number;
}

const notes = collection<Note>('notes', [
  { name: 'by_creation', fields: ['createdAt'] },
  { name: 'by_rank', fields: ['rank'] },
]);

const example = { answer: { items: [{ id: 'a', rank: 1 }], nextCursor: null } };
const Item = Type.Object({ id: Type.String(), rank: Type.Integer() });
const item = ({ id, rank }: Note) => ({ id, rank });

const operationsOn = (store: Store): AnyOperation[] => {
  const shape = {
    method: 'get',
    access: 'notes:read',
    summary: 'Lists notes',
    example,
    answers: { 200: createPageSchema(Item) },
  } as const;
  const documents = (institution: string) => store.collection(notes).of(institution);
  return [
    operation({
      ...shape,
      id: 'listNotes',
      path: '/notes',
      query: { ...listQuery, order: Type.Optional(Type.String()) },
      handle: (request) =>
        readPage(request, documents(request.caller.institution), {
          orderBy: request.query.order ?? 'createdAt',
          descending: request.query.order === 'rank',
          item,
        }),
    }),
    operation({
      ...shape,
      id: 'listOthers',
      path: '/others',
      query: listQuery,
      handle: (request) =>
        readPage(request, documents(request.caller.institution), { where: { rank: { gt: 10 }, id: undefined }, item }),
    }),
  ];
};

const COUNT = 47;

const ids = Array.from({ length: COUNT }, (_, index) => `n${String(index).padStart(2, '0')}`);

const app = openForSuite(async () => {
  const { store, close } = await openTestStore(notes);
  // Several documents have the same instant, so that the id must break ties.
  const at = (index: number) => new Date(Date.UTC(2027, 0, 1 + Math.floor(index / 5))).toISOString();
  const documents = ids.map((id, index) => ({ id, createdAt: at(index), updatedAt: at(index), rank: index % 7 }));
  await store.collection(notes).of('opera').insertMany(documents);
  await store.collection(notes).of('museum').insertMany(documents.slice(0, 3));
  const started = await start(operationsOn(store), { idempotency: store.idempotency });
  return { ...started, close: () => started.close().then(close) };
});

const list = async (query: string, { path = '/notes', ...caller }: Partial<Caller> & { path?: string } = {}) => {
  const operation = path === '/notes' ? 'listNotes' : 'listOthers';
  const as = { operation, scopes: ['notes:read'], ...caller };
  const answer = await app.call(path + query, { as });
  return { http: answer.status, ...((await answer.json()) as { data: Page<{ id: string; rank: number }> }) };
};

const walk = async (limit: number, more = ''): Promise<string[]> => {
  const seen: string[] = [];
  let query = `?limit=${limit}${more}`;
  for (;;) {
    const { data } = await list(query);
    seen.push(...data.items.map(({ id }: { id: string }) => id));
    if (data.nextCursor === null) return seen;
    query = `?limit=${limit}${more}&cursor=${data.nextCursor}`;
  }
};

describe('a list', () => {
  test('has 20 items per page, and a null cursor on the last', async () => {
    const { data } = await list('');
    expect(data.items).toHaveLength(20);
    expect(await walk(500)).toEqual(ids);
  });

  test.each([1, 2, 19, 46, 47, 48])('shows each item once in pages of %i', async (limit) => {
    expect(await walk(limit)).toEqual(ids);
  });

  test('ends with a null cursor also when the last page is full', async () => {
    const { data } = await list(`?limit=${COUNT}`);
    expect(data.nextCursor).toBeNull();
  });

  test('can be in descending order', async () => {
    const seen = await walk(4, '&order=rank');
    expect(new Set(seen).size).toBe(COUNT);
    expect(seen.slice(0, 3).map((id) => ids.indexOf(id) % 7)).toEqual([6, 6, 6]);
  });

  test('with modifiedSince includes that instant, given with any offset', async () => {
    const { data } = await list('?modifiedSince=2027-01-10T01:00:00%2B01:00&limit=500');
    expect(data.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(45));
  });
});

describe('a cursor', () => {
  const refused = { http: 400, status: 'invalid_parameter', details: expect.stringContaining('cursor'), data: null };

  test('of another institution, operation or order is refused', async () => {
    const { nextCursor } = (await list('?limit=2')).data;
    expect((await list(`?cursor=${nextCursor}`)).http).toBe(200);
    expect(await list(`?cursor=${nextCursor}`, { institution: 'museum' })).toMatchObject(refused);
    expect(await list(`?cursor=${nextCursor}`, { path: '/others' })).toMatchObject(refused);
    expect(await list(`?cursor=${nextCursor}&order=rank`)).toMatchObject(refused);
  });

  test('of a user, or of an API key, is refused to everybody else; clients of an institution share theirs', async () => {
    const user = (id: string) => ({ user: { id, role: 'manager' as const, contact: null, pointsOfSale: [] } });
    const callers = [{}, user('usr_1'), user('usr_2')];
    for (const [index, caller] of callers.entries()) {
      const { nextCursor } = (await list('?limit=2', caller)).data;
      const again = await Promise.all(callers.map((other) => list(`?cursor=${nextCursor}`, other)));
      expect(again.map(({ http }) => http)).toEqual(callers.map((_, other) => (other === index ? 200 : 400)));
      expect((await list(`?cursor=${nextCursor}`, { ...caller, client: 'cl_2' })).http).toBe(200);
    }
    const bounds = { ownOrders: true, pointsOfSale: [] };
    const bounded = ['cli_1', 'cli_2'].map((client) => ({ client, bounds }));
    const owners = [{}, { isPublic: true }, user('usr_1'), ...bounded].map((more) =>
      formatCursorOwner({
        institution: 'opera',
        client: null,
        service: null,
        scopes: [],
        operation: '',
        user: null,
        bounds: null,
        isPublic: false,
        ...more,
      }),
    );
    expect(new Set(owners).size).toBe(5);
  });

  test.each(['a', 'AAAA', '%00', '..', randomUUID(), Buffer.from('["",""]').toString('base64url')])(
    'that the list did not issue is refused: %s',
    async (cursor) => {
      expect(await list(`?cursor=${cursor}`)).toMatchObject(refused);
    },
  );

  const codec = createCursorCodec(randomBytes(32), 'listNotes');
  const positions = fc.record({
    value: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    id: fc.string({ unit: 'binary' }),
  });

  test('decodes to the position that was encoded, for any institution', () => {
    fc.assert(
      fc.property(fc.string(), positions, (institution, position) => {
        // JSON has no -0 and no lone surrogates that survive UTF-8: positions come from stored JSON.
        const stored = JSON.parse(Buffer.from(JSON.stringify(position)).toString());
        expect(codec.read(institution, codec.write(institution, stored))).toMatchObject(stored);
      }),
    );
  });

  test('with one character changed, added or removed is refused', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/. ';
    fc.assert(
      fc.property(positions, fc.nat(), fc.constantFrom(...alphabet), fc.nat(2), (position, at, letter, how) => {
        const cursor = codec.write('opera', position);
        const index = at % cursor.length;
        const end = how === 0 ? index : index + 1;
        const changed = cursor.slice(0, index) + (how === 2 ? '' : letter) + cursor.slice(end);
        fc.pre(changed !== cursor);
        expect(() => codec.read('opera', changed)).toThrow('cursor');
      }),
      { numRuns: 500 },
    );
  });
});
