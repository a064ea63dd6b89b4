import { Fault } from '@boxoffice/envelope';
import type { Listed } from '@boxoffice/http';
import { findFitting } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import type { OrderDocument } from '../store.ts';

type Query = Parameters<Listed<OrderDocument>['find']>[0];
type Where = NonNullable<Query['where']>;

interface Way {
  readonly where: Where;
  readonly index: string;
}

interface Sought {
  /** The order's number, its reference, or the beginning of its buyer's last name. */
  readonly q?: string | undefined;
  readonly email?: string | undefined;
  readonly performanceId?: string | undefined;
}

/**
 * By `listedAt`. Names and emails are the contacts', so that nothing is found by those of an erased one. @throws Fault
 * `invalid_parameter` for a `q` that begins too many names, `service_unavailable`
 */
export async function searchOrders(
  context: Pick<OrdersContext, 'orders' | 'links' | 'contacts'>,
  institution: string,
  { q, email, performanceId }: Sought,
): Promise<Listed<OrderDocument>> {
  const orders = context.orders.of(institution);
  const byText =
    q === undefined
      ? []
      : [
          { where: { shortNumber: q.toLowerCase() }, index: 'number' },
          { where: { externalReference: q }, index: 'reference' },
          await findBuyers(context, institution, { name: q }),
        ];
  const byEmail = email === undefined ? [] : [await findBuyers(context, institution, { email })];
  const byPerformance = performanceId === undefined ? [] : await findByPerformance(context, institution, performanceId);
  const ways = [byText, byEmail, byPerformance]
    .filter((some) => some.length > 0)
    .reduce((all, some) =>
      all.flatMap(({ where, index }) =>
        some.flatMap((other) => {
          const joined = joinConditions(where, other.where);
          return joined ? [{ where: joined, index }] : [];
        }),
      ),
    );
  const found = searchWays(orders, ways);
  if (performanceId === undefined) return found;
  return findFitting(found, (some) => some.filter(({ performanceIds }) => performanceIds.includes(performanceId)));
}

/** @throws Fault `invalid_parameter` for the beginning of too many names */
const findBuyers = async (
  { contacts }: Pick<OrdersContext, 'contacts'>,
  institution: string,
  sought: { readonly email?: string; readonly name?: string },
): Promise<Way> => {
  const { contactNumbers, hasMore } = await contacts.find(institution, sought);
  if (hasMore) {
    const most = `more than ${contactNumbers.length} contacts`;
    throw new Fault('invalid_parameter', `query parameter q begins the names of ${most}: give more letters.`);
  }
  return { where: { contactNumber: { in: contactNumbers } }, index: 'contact' };
};

/** By the first performance that they ever had, or a link to it. */
const findByPerformance = async (
  { links }: Pick<OrdersContext, 'links'>,
  institution: string,
  performanceId: string,
): Promise<readonly Way[]> => {
  const linked = await links.of(institution).find({ where: { performanceId } });
  const first = { where: { performanceId }, index: 'performance_listed' };
  return linked.length === 0
    ? [first]
    : [first, { where: { id: { in: linked.map(({ orderId }) => orderId) } }, index: 'listed' }];
};

/** On every field, each a value or several; undefined if no document can meet them. */
const joinConditions = (one: Where, other: Where): Where | undefined => {
  const joined = { ...one, ...other };
  for (const [field, condition] of Object.entries(other)) {
    const given = one[field];
    if (given === undefined) continue;
    const common = listValues(condition).filter((value) => listValues(given).includes(value));
    if (common.length === 0) return undefined;
    joined[field] = { in: common as string[] };
  }
  return Object.values(joined).some((condition) => listValues(condition).length === 0) ? undefined : joined;
};

const listValues = (condition: Where[string]): readonly unknown[] =>
  typeof condition === 'object' && condition !== null && 'in' in condition ? condition.in : [condition];

/** In one way at least of each of these lists, by `listedAt`, each once. */
const searchWays = (
  orders: { find(query: Query & { readonly index?: string }): Promise<OrderDocument[]> },
  ways: readonly Way[],
): Listed<OrderDocument> => ({
  async find(query) {
    const found = await Promise.all(
      ways.map(async ({ where: more, index }) => {
        const where = joinConditions(query.where ?? {}, more);
        return where ? orders.find({ ...query, where, index }) : [];
      }),
    );
    const byId = new Map(found.flat().map((order) => [order.id, order]));
    return [...byId.values()].toSorted(compareListed).slice(0, query.limit);
  },
});

const compareListed = (a: OrderDocument, b: OrderDocument): number =>
  Number(a.listedAt) - Number(b.listedAt) || (a.id < b.id ? -1 : Number(a.id > b.id));
