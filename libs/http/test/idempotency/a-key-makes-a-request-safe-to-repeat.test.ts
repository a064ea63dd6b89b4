import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@boxoffice/envelope';
import { collection, type Document, openSqliteStores, type SqliteStores, type Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { type AnyOperation, created, ok, operation } from '../../src/index.ts';
import { type Started, start } from '../fixture.ts';

interface Note extends Document {
  readonly text: string;
}

const notes = collection<Note>('notes');

/** Lets a handler wait until the test has seen what it wanted to see. */
const gate = () => {
  let open = () => {};
  let entered = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    entered = resolve;
  });
  return { open, opened, entered, arrived };
};

const runs = new Map<string, number>();
const gates = new Map<string, ReturnType<typeof gate>>();
let failures = 0;

const ran = (text: string): number => {
  const count = (runs.get(text) ?? 0) + 1;
  runs.set(text, count);
  return count;
};

const body = Type.Object({ text: Type.String({ maxLength: 60 }) });

const operationsOn = (store: Store): AnyOperation[] => {
  const shape = { method: 'post', access: 'notes:write', body, answers: { 201: Type.Unknown() } } as const;
  const example = { body: { text: 'a' }, answer: {} };
  const seen = (note: Note) =>
    created<unknown>({ id: note.id, text: note.text }, `/notes/${note.id}`, {
      etag: String(note.version),
      subjects: [note.text],
    });
  return [
    operation({
      ...shape,
      id: 'createNote',
      path: '/notes',
      summary: 'Stamps its answer into its write',
      query: { a: Type.Optional(Type.String()) },
      example,
      handle: async ({ caller, body: { text }, remember }) => {
        ran(text);
        gates.get(text)?.entered();
        await gates.get(text)?.opened;
        const note = { id: randomUUID(), text };
        return seen(
          await store
            .collection(notes)
            .of(caller.institution)
            .insert(note, { stamp: remember(seen) }),
        );
      },
    }),
    operation({
      ...shape,
      id: 'sayNote',
      path: '/sayings',
      summary: 'Has no write to stamp',
      example,
      handle: ({ body: { text } }) => created<unknown>({ run: ran(text) }, '/sayings/1'),
    }),
    operation({
      ...shape,
      id: 'refuseNote',
      path: '/refusals',
      summary: 'Refuses, or fails at first',
      example,
      handle: ({ body: { text } }) => {
        const run = ran(text);
        if (text.startsWith('later') && run === 1) throw new Fault('conflict', 'Not now.', { 'Retry-After': '1' });
        if (text.startsWith('refuse')) throw new Fault('conflict', `Refused in run ${run}.`);
        if (failures-- > 0) throw new Error('broken');
        return created<unknown>({ run }, '/refusals/1');
      },
    }),
    operation({
      id: 'patchNote',
      method: 'patch',
      path: '/notes/{id}',
      access: 'notes:write',
      summary: 'Says which run it is',
      params: { id: Type.String() },
      body,
      answers: { 200: Type.Unknown() },
      example: { params: { id: 'a' }, ...example },
      handle: ({ body: { text } }) => ok<unknown>({ run: ran(text) }),
    }),
    operation({
      ...shape,
      id: 'takeNote',
      path: '/taken',
      summary: 'Takes no key',
      withoutIdempotency: true,
      example,
      handle: ({ body: { text } }) => created<unknown>({ run: ran(text) }, '/taken/1'),
    }),
  ];
};

let directory: string;
let stores: SqliteStores;
let store: Store;
let app: Started;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'idempotency-'));
  stores = openSqliteStores({ directory });
  store = await stores.open('notes', [notes]);
  app = await start(operationsOn(store), { idempotency: store.idempotency });
});
afterAll(async () => {
  await app.close();
  await stores.close();
  await rm(directory, { recursive: true });
});

const operations: Record<string, string> = {
  '/notes': 'createNote',
  '/sayings': 'sayNote',
  '/refusals': 'refuseNote',
  '/taken': 'takeNote',
};

interface Sending {
  readonly key?: string;
  readonly client?: string;
  readonly institution?: string;
  readonly query?: string;
  readonly ifMatch?: string;
}

const send = async (path: string, text: string, { key, query = '', ifMatch, ...caller }: Sending = {}) => {
  const isPatch = path.startsWith('/notes/');
  const as = { operation: isPatch ? 'patchNote' : operations[path], scopes: ['notes:write'], ...caller };
  const headers = {
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
  };
  const answer = await app.call(path + query, {
    as,
    method: isPatch ? 'PATCH' : 'POST',
    headers,
    body: JSON.stringify({ text }),
  });
  const replayed = answer.headers.get('idempotency-replayed');
  const { headers: found, status } = answer;
  return {
    status,
    replayed,
    location: found.get('location'),
    etag: found.get('etag'),
    body: (await answer.json()) as { status: string },
  };
};

const countOf = (text: string) => store.collection(notes).of('opera').count({ text });

describe('a repeat', () => {
  test.each(['/notes', '/sayings', '/notes/1'])('gets the first answer, and has no effect: %s', async (path) => {
    const [text, key] = [randomUUID(), randomUUID()];
    const first = await send(path, text, { key });
    const second = await send(path, text, { key });
    expect(first.replayed).toBeNull();
    expect(second).toEqual({ ...first, replayed: 'true' });
    expect(runs.get(text)).toBe(1);
  });

  test('gets a refusal again as well, whatever has changed', async () => {
    const [text, key] = [`refuse ${randomUUID()}`, randomUUID()];
    const first = await send('/refusals', text, { key });
    expect(first).toMatchObject({ status: 409, body: { details: 'Refused in run 1.' } });
    expect(await send('/refusals', text, { key })).toEqual({ ...first, replayed: 'true' });
  });

  test('of what was told to come again later runs again', async () => {
    const [text, key] = [`later ${randomUUID()}`, randomUUID()];
    expect(await send('/refusals', text, { key })).toMatchObject({ status: 409, replayed: null });
    expect(await send('/refusals', text, { key })).toMatchObject({ status: 201, body: { data: { run: 2 } } });
  });

  test('of a wrong form is answered before the form is looked at', async () => {
    const [text, key] = ['x'.repeat(61), randomUUID()];
    const first = await send('/notes', text, { key });
    expect(first).toMatchObject({ status: 400, body: { status: 'validation_error' } });
    expect(await send('/notes', text, { key })).toEqual({ ...first, replayed: 'true' });
  });

  test('of what failed on our side runs again', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    failures = 1;
    expect(await send('/refusals', text, { key })).toMatchObject({ status: 500, replayed: null });
    expect(await send('/refusals', text, { key })).toMatchObject({ status: 201, body: { data: { run: 2 } } });
  });

  test('is answered after a restart of the process too', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const first = await send('/notes', text, { key });
    const other = await start(operationsOn(store), { idempotency: store.idempotency });
    const mine = app;
    app = other;
    const second = await send('/notes', text, { key });
    app = mine;
    await other.close();
    expect(second).toEqual({ ...first, replayed: 'true' });
  });

  test('runs again once the person that it speaks of was forgotten', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await send('/notes', text, { key });
    await store.idempotency.forget(text);
    expect((await send('/notes', text, { key })).replayed).toBeNull();
  });
});

test('without a key every request has its effect', async () => {
  const text = randomUUID();
  await send('/notes', text);
  await send('/notes', text);
  expect(await countOf(text)).toBe(2);
});

test('of 40 requests at once with one key one has its effect, and the others say so or that it runs', async () => {
  const [text, key] = [randomUUID(), randomUUID()];
  const answers = await Promise.all(Array.from({ length: 40 }, () => send('/notes', text, { key })));
  expect(await countOf(text)).toBe(1);
  expect(answers.filter(({ status, replayed }) => status === 201 && replayed === null)).toHaveLength(1);
  for (const { status, body: found } of answers) {
    if (status !== 201) expect([status, found.status]).toEqual([409, 'idempotency_in_progress']);
  }
});

describe('a key', () => {
  test('that still runs is idempotency_in_progress', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const held = gate();
    gates.set(text, held);
    const first = send('/notes', text, { key });
    await held.arrived;
    expect(await send('/notes', text, { key })).toMatchObject({
      status: 409,
      body: { status: 'idempotency_in_progress' },
    });
    held.open();
    expect(await first).toMatchObject({ status: 201, replayed: null });
    expect(await send('/notes', text, { key })).toMatchObject({ status: 201, replayed: 'true' });
  });

  test.each([
    ['body', { path: '/notes', text: 'b', query: '' }],
    ['path', { path: '/sayings', text: 'a', query: '' }],
    ['query', { path: '/notes', text: 'a', query: '?a=1' }],
    ['method', { path: '/notes/1', text: 'a', query: '' }],
  ])('of a request with another %s is idempotency_key_reused', async (_what, { path, text, query }) => {
    const key = randomUUID();
    await send('/notes', 'a', { key });
    const other = await send(path, text, { key, query });
    expect(other).toMatchObject({
      status: 422,
      replayed: null,
      body: { status: 'idempotency_key_reused', data: null },
    });
  });

  test('of a request with another If-Match is idempotency_key_reused, with the same one it is a repeat', async () => {
    const key = randomUUID();
    const first = await send('/notes/1', 'a', { key, ifMatch: '"1"' });
    expect(await send('/notes/1', 'a', { key, ifMatch: '"1"' })).toEqual({ ...first, replayed: 'true' });
    for (const ifMatch of ['"2"', undefined]) {
      expect(await send('/notes/1', 'a', { key, ifMatch })).toMatchObject({
        status: 422,
        body: { status: 'idempotency_key_reused' },
      });
    }
  });

  test('belongs to one client of one institution', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const others = [{}, { client: 'cl_2' }, { institution: 'museum' }, { client: 'cl_2', institution: 'museum' }];
    for (const caller of others) expect((await send('/sayings', text, { key, ...caller })).replayed).toBeNull();
    expect(runs.get(text)).toBe(4);
  });

  test.each([
    ['x'.repeat(255), 201],
    ['x'.repeat(256), 400],
    ['', 400],
  ])('has 1 to 255 characters', async (key, status) => {
    const answer = await send('/sayings', randomUUID(), { key: key && key.slice(0, -36) + randomUUID() });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.status).toBe('invalid_parameter');
  });

  test('means nothing where it is not taken', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await send('/taken', text, { key });
    expect(await send('/taken', text, { key })).toMatchObject({ replayed: null, body: { data: { run: 2 } } });
  });

  test('does not come before who calls', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await send('/notes', text, { key });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const answer = await fetch(`${app.url}/notes`, { method: 'POST', headers, body: JSON.stringify({ text }) });
    expect(answer.status).toBe(401);
  });
});

test('two instances whose marks do not know each other have one effect', async () => {
  // What the second process sees when the first one's mark has died: no mark, and then a taken stamp.
  const [text, key] = [randomUUID(), randomUUID()];
  const held = gate();
  gates.set(text, held);
  let isBlind = true;
  const blind: typeof store.idempotency = {
    ...store.idempotency,
    begin: async (...ticket) => (isBlind ? { state: 'fresh' } : store.idempotency.begin(...ticket)),
  };
  const slow = await start(operationsOn(store), { idempotency: blind });
  const fast = app;
  app = slow;
  const second = send('/notes', text, { key });
  await held.arrived;
  isBlind = false;
  app = fast;
  gates.delete(text);
  const first = await send('/notes', text, { key });
  held.open();
  expect(await second).toEqual({ ...first, replayed: 'true' });
  await slow.close();
  expect(await countOf(text)).toBe(1);
});
