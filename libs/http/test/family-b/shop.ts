import { createUnforeseenFault, Fault, PosFault } from '@boxoffice/envelope';
import { Type } from 'typebox';
import { type Admit, type AnyOperation, created, createOperationBuilder, familyB, ok } from '../../src/index.ts';
import { rememberInMemory, type Started, start } from '../fixture.ts';

/** The visitor: its session and its login, if it has them. */
interface Visitor {
  readonly session: string | undefined;
  readonly login: string | undefined;
}

const operation = createOperationBuilder<Visitor>();

/** Admits requests with the host `shop`, with the session `known` or `ann`, which is logged in. */
export const admit: Admit<Visitor> = ({ headers }, access) => {
  const host = headers['x-service-host'];
  if (host === undefined) throw new PosFault('context_missing', 'X-Service-Host is absent.');
  if (host !== 'shop') throw new PosFault('context_invalid', 'X-Service-Host names no point of sale.');
  const token = headers['x-auth-token']?.toString();
  if (token !== undefined && token !== 'known' && token !== 'ann') throw new PosFault('session_invalid', 'No session.');
  if (token === undefined && access !== 'visitor') throw new PosFault('session_required', 'No session.');
  const login = token === 'ann' ? token : undefined;
  if (access === 'login' && login === undefined) throw new PosFault('login_required', 'No login.');
  return { visitor: { session: token, login }, session: token, headers: { 'Content-Language': 'fr' } };
};

const Item = Type.Object({ id: Type.String(), who: Type.Union([Type.String(), Type.Null()]) });
const item = { id: 'itm_1', who: null };
const NewItem = Type.Object({ name: Type.Optional(Type.String({ maxLength: 5 })) });

/** The inputs of `addItem`'s handler, in order. */
export const added: unknown[] = [];

export const items: AnyOperation[] = [
  operation({
    id: 'listItems',
    method: 'get',
    path: '/v1/items',
    aliases: ['/vexp/items'],
    access: 'visitor',
    summary: 'Lists items',
    query: { limit: Type.Optional(Type.Integer()) },
    answers: { 200: Type.Record(Type.String(), Item) },
    answerHeaders: ['X-Total-Amount', 'Link'],
    compressed: true,
    example: { answer: { itm_1: item } },
    handle: ({ visitor }) =>
      ok({ itm_1: { ...item, who: visitor.login ?? null } }, { headers: { 'X-Total-Amount': '1' } }),
  }),
  operation({
    id: 'addItem',
    method: 'post',
    path: '/v1/items',
    access: 'visitor',
    summary: 'Adds an item',
    body: NewItem,
    answers: { 201: Item },
    errors: ['cart_places_unavailable'],
    example: { body: { name: 'a' }, answer: item },
    handle: ({ body, idempotencyKey }) => {
      added.push({ body, idempotencyKey });
      if (body.name === 'sold') throw new PosFault('cart_places_unavailable', 'Sold out.');
      return created({ id: `itm_${added.length}`, who: null }, '/v1/items');
    },
  }),
  operation({
    id: 'getMe',
    method: 'get',
    path: '/v1/me',
    access: 'login',
    summary: 'Returns the user',
    answers: { 200: Type.Object({ login: Type.String() }) },
    example: { answer: { login: 'ann' } },
    handle: ({ visitor }) => ok({ login: String(visitor.login) }),
  }),
  operation({
    id: 'fail',
    method: 'post',
    path: '/v1/failures/{how}',
    access: 'session',
    summary: 'Fails',
    params: { how: Type.String() },
    answers: { 200: Type.Object({}) },
    example: { params: { how: 'bug' }, answer: {} },
    handle: ({ params }) => {
      if (params.how === 'peer') throw new Fault('service_unavailable', 'No orders.', { 'Retry-After': '1' });
      if (params.how === 'store') throw Object.assign(new Error('gone'), { name: 'StoreUnavailable' });
      if (params.how === 'undone') {
        const cause = new Fault('service_unavailable', 'No orders.', { 'Retry-After': '1' });
        throw createUnforeseenFault(cause, { userLoggedOut: false, orderCancelled: false });
      }
      if (params.how === 'cancelled') {
        throw createUnforeseenFault(new TypeError('inner'), { userLoggedOut: false, orderCancelled: true });
      }
      throw new TypeError('password=hunter2');
    },
  }),
];

/** Serves the operations of a small shop. */
export function startShop(): Promise<Started> {
  return start(items, { family: familyB, admit, idempotency: rememberInMemory(), checkAnswers: true });
}

/** Headers of a visitor; `more` are added. */
export function createVisitorHeaders(more: Record<string, string> = {}): Record<string, string> {
  return {
    'x-service-host': 'shop',
    ...more,
  };
}
