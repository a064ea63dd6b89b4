import { Type } from 'typebox';
import {
  type AnyOperation,
  created,
  createNullableSchema,
  createPageSchema,
  createPatchSchema,
  emailSchema,
  listQuery,
  listReadOnlyMembers,
  ok,
  oneOf,
  operation,
  readPage,
  timestamp,
} from '../src/index.ts';

const NewThing = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 20 }),
  email: Type.Optional(emailSchema),
  color: Type.Optional(createNullableSchema(oneOf(['red', 'green']))),
  since: Type.Optional(timestamp),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  place: Type.Optional(
    Type.Object({
      city: Type.String({ minLength: 1 }),
      lines: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
    }),
  ),
  labels: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Type.String())),
  parts: Type.Optional(
    Type.Union([
      Type.Object({ part: Type.String() }),
      Type.Object({ items: Type.Array(Type.Object({ part: Type.String() })) }),
    ]),
  ),
  shape: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }),
      Type.Object({ kind: Type.Literal('square'), side: Type.Number({ minimum: 0 }) }),
    ]),
  ),
});

const Thing = Type.Object({
  ...NewThing.properties,
  id: Type.String(),
  coats: Type.Optional(createNullableSchema(Type.Object({ color: Type.String(), at: timestamp }))),
  createdAt: timestamp,
});

const body = { name: 'lamp', email: 'lamp@example.org' };
const thing = { ...body, id: 'thg_1', createdAt: '2027-01-01T00:00:00.000Z' };
const params = { id: Type.String() };
const readOnly = listReadOnlyMembers(Thing, NewThing, { coats: ['paintThing', 'breakThing'] });

/** The current thing of an id. */
const painted = (id: string) => ({ ...thing, id, coats: { color: 'red', at: '2027-01-02T00:00:00.000Z' } });

/** The inputs that each operation's handler had last. */
export const given = new Map<string, unknown>();

/** Operations of every shape, on things that are not stored. */
export const things: AnyOperation[] = [
  operation({
    id: 'createThing',
    method: 'post',
    path: '/svc/v3/things',
    aliases: ['/things'],
    access: 'things:write',
    summary: 'Creates a thing',
    query: { allowDuplicates: Type.Optional(Type.Boolean()), times: Type.Optional(Type.Integer()) },
    body: NewThing,
    answers: { 201: Thing },
    errors: ['contact_duplicate_email', 'conflict', 'semantically_invalid'],
    errorData: { contact_duplicate_email: Thing },
    etag: true,
    example: { body, answer: thing },
    handle: ({ body, query }) => {
      given.set('createThing', { body, query });
      return created({ ...thing, ...body }, '/svc/v3/things/thg_1', { etag: '1' });
    },
  }),
  operation({
    id: 'listThings',
    method: 'get',
    path: '/svc/v3/things',
    access: 'things:read',
    summary: 'Lists things',
    query: { ...listQuery, color: Type.Optional(oneOf(['red', 'green'])), min: Type.Optional(Type.Number()) },
    answers: { 200: createPageSchema(Thing) },
    example: { query: { limit: 20 }, answer: { items: [thing], nextCursor: null } },
    handle: (request) => {
      given.set('listThings', request.query);
      return readPage(request, { find: async () => [thing] }, { item: (found) => found });
    },
  }),
  operation({
    id: 'getThing',
    method: 'get',
    path: '/svc/v3/things/{id}',
    access: 'things:read',
    summary: 'Gives a thing',
    params,
    answers: { 200: Thing },
    etag: true,
    example: { params: { id: 'thg_1' }, answer: thing },
    handle: ({ params }) => ok({ ...thing, id: params.id }, { etag: '1' }),
  }),
  operation({
    id: 'replaceThing',
    method: 'put',
    path: '/svc/v3/things/{id}',
    access: 'things:write',
    summary: 'Replaces a thing',
    params,
    body: NewThing,
    readOnly,
    answers: { 200: Thing },
    etag: true,
    conditional: true,
    example: { params: { id: 'thg_1' }, body, answer: thing },
    handle: ({ params, body, ifMatch, requireUnchanged }) => {
      ifMatch('1');
      requireUnchanged(painted(params.id));
      given.set('replaceThing', body);
      return ok({ ...thing, ...body, id: params.id }, { etag: '2' });
    },
  }),
  operation({
    id: 'updateThing',
    method: 'patch',
    path: '/svc/v3/things/{id}',
    access: 'things:write',
    summary: 'Changes a thing',
    params,
    body: createPatchSchema(NewThing),
    readOnly,
    answers: { 200: Thing },
    etag: true,
    example: { params: { id: 'thg_1' }, body: { color: null }, answer: thing },
    handle: ({ params, body, requireUnchanged }) => {
      requireUnchanged(painted(params.id));
      given.set('updateThing', body);
      return ok(thing, { etag: '2' });
    },
  }),
  operation({
    id: 'paintThing',
    method: 'post',
    path: '/svc/v3/things/{id}/paint',
    access: 'things:write',
    summary: 'Paints a thing',
    params,
    body: Type.Object({ coats: Type.Optional(Type.Integer()) }),
    answers: { 200: Thing },
    example: { params: { id: 'thg_1' }, body: {}, answer: thing },
    handle: ({ body }) => {
      given.set('paintThing', body);
      return ok(thing);
    },
  }),
  operation({
    id: 'getKey',
    method: 'get',
    path: '/svc/v3/things/key',
    access: 'public',
    summary: 'Returns the key',
    answers: { 200: Type.Object({ key: Type.String() }) },
    example: { answer: { key: 'k' } },
    handle: () => ok({ key: 'k' }),
  }),
  operation({
    id: 'breakThing',
    method: 'delete',
    path: '/svc/v3/things/{id}',
    access: 'things:write',
    alsoNeeds: ['things.sensitive:write'],
    summary: 'Breaks a thing',
    params,
    answers: { 200: Thing },
    example: { params: { id: 'thg_1' }, answer: thing },
  }),
  operation({
    id: 'countThings',
    method: 'get',
    path: '/internal/things/count',
    access: 'internal',
    summary: 'Counts things',
    answers: { 200: Type.Object({ count: Type.Integer() }) },
    example: { answer: { count: 1 } },
    handle: () => ok({ count: 1 }),
  }),
  operation({
    id: 'issueToken',
    method: 'post',
    path: '/auth/token',
    access: 'public',
    summary: 'Issues a token',
    form: true,
    withoutIdempotency: true,
    body: Type.Object({ grant_type: oneOf(['client_credentials']), scope: Type.Optional(Type.String()) }),
    answers: { 200: Type.Object({ access_token: Type.String() }) },
    members: {
      answer: { access_token: Type.String() },
      error: { error: Type.String(), error_description: Type.Optional(Type.String()) },
    },
    errors: ['unauthorized'],
    onFault: ({ code }) => ({ members: { error: code === 'unauthorized' ? 'invalid_client' : 'invalid_request' } }),
    example: {
      body: { grant_type: 'client_credentials' },
      answer: { access_token: 't' },
      members: { access_token: 't' },
    },
    handle: ({ body }) => {
      given.set('issueToken', body);
      return ok({ access_token: 't' }, { members: { access_token: 't' }, headers: { Pragma: 'no-cache' } });
    },
  }),
];
