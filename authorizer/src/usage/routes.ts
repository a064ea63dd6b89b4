import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  createNullableSchema,
  DEFAULT_LIMIT,
  named,
  ok,
  oneOf,
  operation,
  type Position,
  pageQuery,
  timestamp,
} from '@boxoffice/http';
import { type Documents, readDocuments, type Store } from '@boxoffice/store';
import { Type } from 'typebox';
import {
  addRow,
  computeIntervalStart,
  type Dimension,
  dimensions,
  type Group,
  groupRows,
  lengthOf,
  NOTHING,
  type Resolution,
  resolutions,
  type Totals,
  type UsageRow,
} from '../domain/usage.ts';
import { type UsageDocument, usageCollection } from '../store.ts';

/** A query as requests send it: instants in ISO 8601 UTC. */
export interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly granularity?: Resolution | undefined;
  /** Dimensions, separated by commas. */
  readonly groupBy?: string | undefined;
}

type UsageRange = ReturnType<typeof parseUsageRange>;

const LONGEST_DAYS = 92;

/** The range of a query at `now` (epoch milliseconds), widened to whole intervals. @throws {Fault} invalid_parameter */
export function parseUsageRange({ from, to, granularity = 'hour', groupBy }: UsageQuery, now: number) {
  const by = parseDimensions(groupBy);
  if (granularity === 'minute' && by.includes('user')) {
    throw invalid('groupBy cannot be user with granularity=minute: users are counted per hour and per day');
  }
  const end = to === undefined ? now : Date.parse(to);
  const start = from === undefined ? end - lengthOf.day : Date.parse(from);
  if (start > end) throw invalid('from is after to');
  if (end - start > LONGEST_DAYS * lengthOf.day) throw invalid(`from is more than ${LONGEST_DAYS} days before to`);
  const last = computeIntervalStart(granularity, end);
  return {
    resolution: granularity,
    /** Epoch milliseconds, whole intervals; `to` exclusive. */
    from: computeIntervalStart(granularity, start),
    to: last === end ? end : last + lengthOf[granularity],
    by,
  };
}

const parseDimensions = (groupBy: string | undefined): Dimension[] => {
  const named = groupBy === undefined ? [] : groupBy.split(',');
  const unknown = named.filter((name) => !dimensions.some((dimension) => dimension === name));
  if (unknown.length > 0) {
    throw invalid(`groupBy takes ${dimensions.join(', ')}, separated by commas, and not ${JSON.stringify(unknown[0])}`);
  }
  return dimensions.filter((dimension) => named.includes(dimension));
};

const invalid = (text: string): Fault => new Fault('invalid_parameter', `query parameter ${text}.`);

/**
 * Intervals in order, in each its groups by their values; totals of the whole range. Empty intervals have no items.
 * `last` is the last item, if more follow.
 */
export async function readUsage(
  store: Store,
  institution: string,
  range: UsageRange,
  { after, limit }: { readonly after: Position | undefined; readonly limit: number },
) {
  const items: (Group & Totals & { readonly start: string })[] = [];
  let last: Position | undefined;
  let hasMore = false;
  let totals = NOTHING;
  for await (const { start, rows } of readIntervals(store.collection(usageCollection).of(institution), range)) {
    for (const row of rows) totals = addRow(totals, row);
    if (hasMore || (after && start < String(after.value))) continue;
    for (const { key, group, totals: own } of groupRows(rows, range.by)) {
      if (after && start === after.value && key <= after.id) continue;
      if (items.length === limit) {
        hasMore = true;
        break;
      }
      items.push({ start, ...group, ...own });
      last = { value: start, id: key };
    }
  }
  return { items, last: hasMore ? last : undefined, totals };
}

async function* readIntervals(
  documents: Documents<UsageDocument>,
  { resolution, from, to }: UsageRange,
): AsyncGenerator<{ readonly start: string; readonly rows: readonly UsageRow[] }> {
  const where = {
    resolution,
    start: { gte: new Date(from).toISOString(), lt: new Date(to).toISOString() },
  };
  let interval: { readonly start: string; readonly rows: UsageRow[] } | undefined;
  for await (const { start, rows } of readDocuments(documents, { where, orderBy: 'start' })) {
    if (interval && interval.start !== start) {
      yield interval;
      interval = undefined;
    }
    interval ??= { start, rows: [] };
    for (const row of rows) interval.rows.push(row);
  }
  if (interval) yield interval;
}

const sums = {
  requests: Type.Integer({ minimum: 0, description: 'all that were answered' }),
  refused: Type.Integer({ minimum: 0, description: 'answered with 4xx' }),
  errors: Type.Integer({ minimum: 0, description: 'answered with 5xx' }),
  bytesOut: Type.Integer({ minimum: 0, description: 'bytes of the answers’ bodies' }),
};

const Item = named(
  'UsageItem',
  Type.Object({
    start: Type.String({ format: 'date-time', description: 'start of the interval, ISO 8601 UTC' }),
    apiKeyId: Type.Optional(createNullableSchema(Type.String({ description: 'null: without an API key' }))),
    clientId: Type.Optional(createNullableSchema(Type.String({ description: 'null: without a token' }))),
    userId: Type.Optional(createNullableSchema(Type.String({ description: 'null: of no user' }))),
    operation: Type.Optional(
      Type.String({ description: 'the operationId; `none` of a path or a method that does not exist' }),
    ),
    status: Type.Optional(
      Type.Integer({ description: 'the HTTP status; 499: the client disconnected before its answer' }),
    ),
    ...sums,
  }),
);

const Usage = named(
  'Usage',
  Type.Object({
    items: Type.Array(Item),
    nextCursor: createNullableSchema(Type.String({ description: '`cursor` of the next page; null on the last' })),
    totals: named('UsageTotals', Type.Object(sums)),
  }),
);

const example = { requests: 1_204, refused: 12, errors: 0, bytesOut: 3_481_220 };

export function createUsageRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'getUsage',
      method: 'get',
      path: '/svc/v3/usage',
      access: 'clients:read',
      summary: 'Counts the institution’s requests by interval',
      description:
        'Every request of the institution API with a verified token or a valid API key, refused ones included, at most 15 seconds ' +
        'later. Kept per minute for 3 days, per hour for 92 days, per day for 3 years. Intervals without requests are left out; ' +
        '`totals` are those of the whole range, on every page.',
      query: {
        from: Type.Optional({ ...timestamp, description: 'default: 24 hours before `to`; widened to whole intervals' }),
        to: Type.Optional({
          ...timestamp,
          description: `default: now; widened to whole intervals; at most ${LONGEST_DAYS} days after \`from\``,
        }),
        granularity: Type.Optional(oneOf(resolutions, { default: 'hour' })),
        groupBy: Type.Optional(
          Type.String({
            maxLength: 100,
            pattern: `^(${dimensions.join('|')})(,(${dimensions.join('|')}))*$`,
            description: `any of ${dimensions.join(', ')}, separated by commas; user not per minute`,
          }),
        ),
        ...pageQuery,
      },
      answers: { 200: Usage },
      example: {
        query: { granularity: 'hour', groupBy: 'apiKey,status' },
        answer: {
          items: [
            {
              start: '2027-03-14T19:00:00.000Z',
              apiKeyId: 'key_q8Y2mXH0T3mV1n5b',
              status: 200,
              ...example,
              refused: 0,
            },
          ],
          nextCursor: null,
          totals: example,
        },
      },
      handle: async ({ caller, query, cursor }) => {
        const after = cursor.read(query.cursor);
        // Without `to` the pages of a walk end where its first one ended.
        const end = query.to ?? after?.asOf ?? new Date().toISOString();
        const range = parseUsageRange({ ...query, to: end }, Date.now());
        const by = JSON.stringify([range.resolution, ...range.by]);
        if (after && after.by !== by) {
          throw new Fault('invalid_parameter', 'query parameter cursor belongs to another granularity or groupBy.');
        }
        const limit = query.limit ?? DEFAULT_LIMIT;
        const { items, last, totals } = await readUsage(store, caller.institution, range, { after, limit });
        const nextCursor = last ? cursor.write({ ...last, by, asOf: end }) : null;
        return ok({ items, nextCursor, totals });
      },
    }),
  ];
}
