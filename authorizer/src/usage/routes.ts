import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  DEFAULT_LIMIT,
  named,
  nullable,
  ok,
  oneOf,
  operation,
  pageQuery,
  timestamp,
} from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { dimensions, resolutions } from '../domain/usage.ts';
import { LONGEST_DAYS, rangeOf, readUsage } from './query.ts';

const sums = {
  requests: Type.Integer({ minimum: 0, description: 'all that were answered' }),
  refused: Type.Integer({ minimum: 0, description: 'answered with 4xx' }),
  errors: Type.Integer({ minimum: 0, description: 'answered with 5xx' }),
  bytesOut: Type.Integer({ minimum: 0, description: 'bytes of the answers’ bodies' }),
};

const Totals = named('UsageTotals', Type.Object(sums));

const Item = named(
  'UsageItem',
  Type.Object({
    start: Type.String({ format: 'date-time', description: 'start of the interval, ISO 8601 UTC' }),
    apiKeyId: Type.Optional(nullable(Type.String({ description: 'null: without an API key' }))),
    clientId: Type.Optional(nullable(Type.String({ description: 'null: without a token' }))),
    userId: Type.Optional(nullable(Type.String({ description: 'null: of no user' }))),
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
    nextCursor: nullable(Type.String({ description: '`cursor` of the next page; null on the last' })),
    totals: Totals,
  }),
);

const example = { requests: 1_204, refused: 12, errors: 0, bytesOut: 3_481_220 };

/** The usage of an institution. `now` in epoch milliseconds. */
export const usageRoutes = (store: Store, now: () => number = Date.now): AnyOperation[] => [
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
          { start: '2027-03-14T19:00:00.000Z', apiKeyId: 'key_q8Y2mXH0T3mV1n5b', status: 200, ...example, refused: 0 },
        ],
        nextCursor: null,
        totals: example,
      },
    },
    handle: async ({ caller, query, cursor }) => {
      const after = cursor.read(query.cursor);
      // Without `to` the pages of a walk end where its first one ended.
      const end = query.to ?? after?.asOf ?? new Date(now()).toISOString();
      const range = rangeOf({ ...query, to: end }, now());
      const by = JSON.stringify([range.resolution, ...range.by]);
      if (after && after.by !== by) {
        throw new Fault('invalid_parameter', 'query parameter cursor belongs to another granularity or groupBy.');
      }
      const limit = query.limit ?? DEFAULT_LIMIT;
      const { items, last, totals } = await readUsage(store, caller.institution, range, { after, limit });
      const nextCursor = last ? cursor.write({ ...last, by, asOf: end }) : null;
      return ok({ items: [...items], nextCursor, totals });
    },
  }),
];
