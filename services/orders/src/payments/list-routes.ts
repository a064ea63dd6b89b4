import {
  type AnyOperation,
  createPageSchema,
  DEFAULT_LIMIT,
  id,
  ok,
  oneOf,
  operation,
  type PageRequest,
  pageQuery,
  timestamp,
} from '@boxoffice/http';
import { type Documents, readDocuments } from '@boxoffice/store';
import { Type } from 'typebox';
import * as example from '../api/examples.ts';
import { ListedPayment, ListedRefund, method } from '../api/schemas.ts';
import { toPaymentView, toRefundView } from '../api/views.ts';
import type { ContextOf } from '../context.ts';
import { type MoneyRecord, type Payment, paymentStates, providers, refundStates } from '../domain/order/order.ts';
import type { OrderDocument } from '../store.ts';

/** Filter of refunds. */
export const refundState = Type.Optional(oneOf(refundStates));

/** For one page, so that no request takes long. */
const MOST_ORDERS = 2_000;

/** Milliseconds by which the clocks of two instances differ at most. */
const SKEW_MS = 5_000;

const filters = {
  from: Type.Optional({ ...timestamp, description: 'recorded then or later' }),
  to: Type.Optional({ ...timestamp, description: 'recorded then or earlier' }),
  method: Type.Optional(method),
  provider: Type.Optional(oneOf(providers, { description: 'by whom they are made' })),
  createdBy: Type.Optional({ ...id, description: 'the id of the client that recorded them' }),
};

type Filters = { readonly [Name in keyof typeof filters]?: string } & { readonly status?: Payment['status'] };

type ListedRecord = MoneyRecord & Pick<Payment, 'status'>;

/** Orders keep their place in the list, and records theirs in the order. */
interface Start {
  readonly order: Pick<OrderDocument, 'id' | 'listedAt'>;
  readonly index: number;
}

export function createRecordsRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      ...describeList('payments'),
      id: 'listAllPayments',
      summary: 'Lists the payments of all orders',
      answers: { 200: createPageSchema(ListedPayment) },
      example: {
        query: { status: 'captured', limit: 20 },
        answer: { items: [example.listedPayment], nextCursor: null },
      },
      handle: ({ caller, query, cursor }) =>
        readRecordsPage(
          { query, cursor },
          contextOf(caller).orders.of(caller.institution),
          ({ payments }) => payments,
          createFilter(query),
          (order, payment) => toPaymentView(order, payment, caller.scopes),
        ),
    }),
    operation({
      ...describeList('refunds', ' `status` is of payments: of a refund it is `captured` in every case.'),
      query: { ...describeList('refunds').query, state: refundState },
      id: 'listAllRefunds',
      summary: 'Lists the refunds of all orders',
      answers: { 200: createPageSchema(ListedRefund) },
      example: { query: { limit: 20 }, answer: { items: [example.listedRefund], nextCursor: null } },
      handle: ({ caller, query, cursor }) =>
        readRecordsPage(
          { query, cursor },
          contextOf(caller).orders.of(caller.institution),
          ({ refunds }) => refunds,
          ({ status: state = 'done', ...refund }) =>
            createFilter(query)({ ...refund, status: 'captured' }) && (query.state ?? state) === state,
          (order, refund) => toRefundView(order, refund, caller.scopes),
        ),
    }),
  ];
}

const describeList = (records: 'payments' | 'refunds', more = '') =>
  ({
    path: `/svc/v3/${records}`,
    method: 'get',
    access: 'orders.sensitive:read',
    description:
      `In order of their orders' creation, and within an order in that of the ${records}. A page may have fewer than ` +
      '`limit` items, even none: the list ends where `nextCursor` is null. Users, and clients with bounds, see the ' +
      `${records} of the orders that they may see. \`externalReference\` is the order's.${more}`,
    query: { ...pageQuery, ...filters, status: Type.Optional(oneOf(paymentStates)) },
  }) as const;

/** Nothing comes twice, and what was recorded before the first page comes, whatever is recorded meanwhile. */
const readRecordsPage = async <Kind extends MoneyRecord, Item>(
  { query, cursor }: PageRequest & { readonly query: Filters },
  orders: Documents<OrderDocument>,
  recordsOf: (order: OrderDocument) => readonly Kind[],
  isWanted: (record: Kind) => boolean,
  view: (order: OrderDocument, record: Kind) => Item,
) => {
  const after = cursor.read(query.cursor);
  const [orderId = '', index] = after?.id.split('/') ?? [];
  const start = after && { order: { id: orderId, listedAt: Number(after.value) }, index: Number(index) };
  const { limit = DEFAULT_LIMIT } = query;
  const items: (Item & Pick<OrderDocument, 'externalReference'>)[] = [];
  const continuedAt = ({ order, index: next }: Start) =>
    ok({ items, nextCursor: cursor.write({ value: order.listedAt, id: `${order.id}/${next}` }) });
  let read = 0;
  for await (const order of readOrdersFrom(orders, query, start)) {
    const records = recordsOf(order);
    for (const [index, record] of records.entries()) {
      if ((order.id === orderId && index < Number(start?.index)) || !isWanted(record)) continue;
      if (items.length === limit) return continuedAt({ order, index });
      items.push({ ...view(order, record), externalReference: order.externalReference });
    }
    read += 1;
    if (read === MOST_ORDERS) return continuedAt({ order, index: records.length });
  }
  return ok({ items, nextCursor: null });
};

const createFilter =
  ({ from, to, method: by, provider, createdBy, status }: Filters) =>
  (record: ListedRecord): boolean =>
    (from === undefined || record.createdAt >= Date.parse(from)) &&
    (to === undefined || record.createdAt <= Date.parse(to)) &&
    (by === undefined || record.method === by) &&
    (provider === undefined || record.provider === provider) &&
    (createdBy === undefined ||
      (record.createdBy && 'clientId' in record.createdBy && record.createdBy.clientId) === createdBy) &&
    (status === undefined || record.status === status);

/** Orders from before `from` that have changed since come first: each record changes its order. */
async function* readOrdersFrom(orders: Documents<OrderDocument>, { from, to }: Filters, start: Start | undefined) {
  const first = start && (await orders.get(start.order.id));
  if (first) yield first;
  const since = from === undefined ? 1 : Math.max(1, Date.parse(from));
  const after = start && { after: { value: start.order.listedAt, id: start.order.id } };
  const orderBy = 'listedAt';
  if (since > Math.max(1, start?.order.listedAt ?? 1)) {
    const where = { listedAt: { gt: 0, lt: since }, modifiedAt: { gte: since } };
    yield* readDocuments(orders, { where, orderBy, ...after, index: 'modified' });
  }
  const until = to === undefined ? {} : { lte: Date.parse(to) + SKEW_MS };
  yield* readDocuments(orders, { where: { listedAt: { gte: since, ...until } }, orderBy, ...after });
}
