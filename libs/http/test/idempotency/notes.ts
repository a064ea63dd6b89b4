import { randomUUID } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { CallerUser } from '@boxoffice/identity';
import { collection, type Document, type Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { type AnyOperation, created, ok, operation } from '../../src/index.ts';
import { openTestStore, type Started, start } from '../fixture.ts';

interface Note extends Document {
  readonly text: string;
}

const notes = collection<Note>('notes');

/** Blocks handlers until the test opens it. */
const gate = () => {
  const [opening, entering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return { open: opening.resolve, opened: opening.promise, entered: entering.resolve, arrived: entering.promise };
};

/** The number of handler runs with this text. */
export const runs = new Map<string, number>();
const gates = new Map<string, ReturnType<typeof gate>>();
let failures = 0;

/** Makes the next `count` runs of `refuseNote` fail. */
export function failNext(count: number): void {
  failures = count;
}

/** Blocks the runs of handlers with this text until the gate is opened. */
export function holdUp(text: string): ReturnType<typeof gate> {
  const held = gate();
  gates.set(text, held);
  return held;
}

/** Later runs with this text are not blocked. */
export function letPass(text: string): void {
  gates.delete(text);
}

const body = Type.Object({
  text: Type.String({ maxLength: 60 }),
  more: Type.Optional(Type.Array(Type.Union([Type.Number(), Type.String(), Type.Null()]))),
});

const ids: Record<string, string> = {
  '/notes': 'createNote',
  '/sayings': 'sayNote',
  '/refusals': 'refuseNote',
  '/taken': 'takeNote',
};

interface Sending {
  readonly key?: string;
  readonly client?: string;
  readonly institution?: string;
  readonly user?: CallerUser;
  readonly query?: string;
  readonly ifMatch?: string;
  /** The bytes of the body instead of the usual ones. */
  readonly raw?: string;
}

/** Serves the operations on their own store, and on request a second app on the same store. */
export async function openNotes() {
  const { store, close } = await openTestStore(notes);
  const serve = (idempotency: Store['idempotency'] = store.idempotency) => start(operationsOn(store), { idempotency });
  const app = await serve();
  return {
    store,
    app,
    send: (path: string, text: string, sending?: Sending) => sendTo(app, path, text, sending),
    /** Another process on the same store. */
    async another(idempotency?: Store['idempotency']) {
      const other = await serve(idempotency);
      return {
        send: (path: string, text: string, sending?: Sending) => sendTo(other, path, text, sending),
        lines: other.lines,
        close: other.close,
      };
    },
    countOf: (text: string) => store.collection(notes).of('opera').count({ text }),
    async close() {
      await app.close();
      await close();
    },
  };
}

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
      summary: 'Writes its answer with its effect',
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
            .insert(note, { idempotencyRecord: remember(seen) }),
        );
      },
    }),
    operation({
      ...shape,
      id: 'sayNote',
      path: '/sayings',
      summary: 'Has no write that carries its answer',
      example,
      handle: async ({ body: { text } }) => {
        const run = ran(text);
        await gates.get(text)?.opened;
        return created<unknown>({ run }, '/sayings/1');
      },
    }),
    operation({
      ...shape,
      id: 'refuseNote',
      path: '/refusals',
      summary: 'Refuses, or fails at first',
      example,
      handle: async ({ body: { text } }) => {
        const run = ran(text);
        await gates.get(text)?.opened;
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
      summary: 'Returns the number of the run',
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
      summary: 'Takes no Idempotency-Key',
      withoutIdempotency: true,
      example,
      handle: ({ body: { text } }) => created<unknown>({ run: ran(text) }, '/taken/1'),
    }),
  ];
};

const ran = (text: string): number => {
  const count = (runs.get(text) ?? 0) + 1;
  runs.set(text, count);
  return count;
};

/** Sends a text, and returns the parts of the answer that matter here. */
const sendTo = async (app: Pick<Started, 'call'>, path: string, text: string, sending: Sending = {}) => {
  const { key, query = '', ifMatch, raw, ...caller } = sending;
  const isPatch = path.startsWith('/notes/');
  const as = { operation: isPatch ? 'patchNote' : ids[path], scopes: ['notes:write'], ...caller };
  const headers = {
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
  };
  const answer = await app.call(path + query, {
    as,
    method: isPatch ? 'PATCH' : 'POST',
    headers,
    body: raw ?? JSON.stringify({ text }),
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
