import {
  type AnyOperation,
  createNullableSchema,
  createPageSchema,
  named,
  operation,
  pageQuery,
  readPage,
  timestamp,
} from '@boxoffice/http';
import { formatRepeatedOffset, formatWallTime } from '@boxoffice/http/local-time';
import { findFitting, type Query, type Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { clocks } from '../clocks.ts';
import { createContext } from '../context.ts';
import { performanceStates } from '../domain/performance.ts';
import { productTypes } from '../domain/product.ts';
import { computeEnd, isOn, LONGEST_EVENING_MINUTES, LONGEST_EVENING_MS } from '../domain/what-is-on.ts';
import { productType } from '../products/schemas.ts';
import { ids, names } from '../schemas.ts';
import type { Collections, PerformanceDocument, ProductDocument } from '../store.ts';
import { findPerformanceProducts } from './across-products.ts';
import { splitIntoBatches } from './performances.ts';
import { performance, state, timeZone, Venue } from './schemas.ts';

const localTime = (description: string) =>
  Type.String({ pattern: String.raw`^\d{4,}-\d\d-\d\dT\d\d:\d\d$`, description });

const Event = named(
  'PerformanceOn',
  Type.Object({
    id: Type.String({ description: 'of the performance' }),
    productId: Type.String(),
    type: productType,
    name: names,
    venue: Venue,
    state,
    startDate: timestamp,
    endDate: createNullableSchema({ ...timestamp, description: 'when it is over; null: never' }),
    timeZone,
    localStart: localTime('`startDate` by the clock of the venue'),
    startOffset: createNullableSchema(
      Type.String({ description: 'the name of its offset where that clock shows the time twice: `GMT+1`; else null' }),
    ),
    localEnd: createNullableSchema(localTime('`endDate` by the clock of the venue')),
  }),
);

const EventPage = named('PerformancesOn', Type.Object({ ...createPageSchema(Event).properties }));

interface Found {
  readonly id: string;
  readonly startDate: string;
  readonly performance: PerformanceDocument;
  readonly product: ProductDocument;
}

/** To the minute, as pages show it. */
const localTimeOf = (instant: string | number, timeZone: string): string =>
  formatWallTime(instant, timeZone).slice(0, 16);

/** Epoch milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const SHOW = 'show';
const PERIODS = productTypes.filter((type) => type !== SHOW);

const example: Static<typeof Event> = {
  ...{ id: ids.performance, productId: ids.product, type: 'show', name: { fr: 'Tosca', en: 'Tosca' } },
  ...{ venue: performance.venue, state: performanceStates[0], timeZone: performance.timeZone },
  startDate: performance.startDate,
  endDate: new Date(Date.parse(performance.startDate) + performance.durationMinutes * 60_000).toISOString(),
  localStart: localTimeOf(performance.startDate, performance.timeZone),
  startOffset: null,
  localEnd: localTimeOf(Date.parse(performance.startDate) + performance.durationMinutes * 60_000, performance.timeZone),
};

/** Serves the list of a door, and calendars. */
export function createWhatIsOnRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'listWhatIsOn',
      method: 'get',
      path: '/svc/v3/catalog/programme',
      access: 'catalog:read',
      summary: 'Lists what is on at some time of a period, by its start',
      description:
        'Evenings, days of festivals, exhibitions, passes: whatever begins before the end of the period and is over after its ' +
        'beginning. A performance lasts for its duration, else until the end of its product, else until six in the morning of ' +
        'the next local day. Without cancelled ones.',
      query: {
        from: Type.Optional({ ...timestamp, description: 'begin of the period; default: now' }),
        to: Type.Optional({ ...timestamp, description: 'its end; default: its begin' }),
        ...pageQuery,
      },
      answers: { 200: EventPage },
      example: { query: { limit: 1 }, answer: { items: [example], nextCursor: null } },
      handle: (request) => {
        const { collections, now } = createContext(store, request.caller.institution);
        const { from = new Date(now()).toISOString(), to = from } = request.query;
        const span = { from: Date.parse(from), to: Date.parse(to) };
        return readPage(request, whatIsOn(collections, span), { orderBy: 'startDate', item: viewOf });
      },
    }),
  ];
}

/** By start: first what began long ago, then the evenings around the span. */
const whatIsOn = (collections: Collections, span: Span) => {
  const evenings = new Date(span.from - LONGEST_EVENING_MS).toISOString();
  const startDate = { gte: evenings, lte: new Date(span.to).toISOString() };
  return {
    async find({ after, limit = Number.MAX_SAFE_INTEGER, orderBy }: Query): Promise<Found[]> {
      const isAmongEvenings = after !== undefined && String(after.value) >= evenings;
      const earlier = isAmongEvenings
        ? []
        : (await onAmong(collections, span, await longRunning(collections, span, evenings)))
            .sort((one, other) => (follows(one, { value: other.startDate, id: other.id }) ? 1 : -1))
            .filter((one) => after === undefined || follows(one, after));
      if (earlier.length >= limit) return earlier.slice(0, limit);
      const on = new Map<string, Found>();
      const fitting = findFitting(collections.performances, async (documents) => {
        const found = await onAmong(collections, span, documents);
        for (const one of found) on.set(one.id, one);
        return found.map(({ performance }) => performance);
      });
      const rest = await fitting.find({
        where: { startDate },
        ...(orderBy === undefined ? {} : { orderBy }),
        ...(isAmongEvenings ? { after } : {}),
        limit: limit - earlier.length,
      });
      return [...earlier, ...rest.flatMap(({ id }) => on.get(id) ?? [])];
    },
  };
};

/** Cancelled performances, and those without a product, are not on. */
const onAmong = async (
  collections: Collections,
  span: Span,
  performances: readonly PerformanceDocument[],
): Promise<Found[]> => {
  const products = await findPerformanceProducts(collections, performances);
  return performances.flatMap((performance) => {
    const product = products.get(performance.productId);
    if (!product || performance.state === 'cancelled' || !isOn(performance, product, span, clocks)) return [];
    return [{ id: performance.id, startDate: performance.startDate, performance, product }];
  });
};

/** Performances that began earlier than any evening that is on: long ones, and those that last as their products do. */
const longRunning = async ({ products, performances }: Collections, { from }: Span, before: string) => {
  const startDate = { lt: before };
  const since = new Date(from).toISOString();
  const [long, shows, periods] = await Promise.all([
    performances.find({ where: { durationMinutes: { gt: LONGEST_EVENING_MINUTES }, startDate } }),
    products.find({ where: { type: SHOW, endDate: { gte: since } } }),
    products.find({ where: { type: { in: PERIODS } } }),
  ]);
  const lasting = [...shows, ...periods.filter(({ endDate }) => endDate === null || endDate >= since)];
  const found = [...long];
  for (const some of splitIntoBatches(lasting, 500)) {
    const productId = { in: some.map(({ id }) => id) };
    found.push(...(await performances.find({ where: { productId, durationMinutes: null, startDate } })));
  }
  return found;
};

/** By start; the id breaks ties, by code point as in the store. */
const follows = (one: Found, { value, id }: NonNullable<Query['after']>): boolean =>
  one.startDate === value ? one.id > id : one.startDate > String(value);

const viewOf = ({ performance, product }: Found): Static<typeof Event> => {
  const { id, productId, venue, state, startDate, timeZone } = performance;
  const end = computeEnd(performance, product, clocks);
  const isEndless = end === Number.POSITIVE_INFINITY;
  return {
    ...{ id, productId, venue, state, startDate, timeZone },
    type: product.type,
    name: product.name,
    endDate: isEndless ? null : new Date(end).toISOString(),
    localStart: localTimeOf(startDate, timeZone),
    startOffset: formatRepeatedOffset('en', startDate, timeZone),
    localEnd: isEndless ? null : localTimeOf(end, timeZone),
  };
};
