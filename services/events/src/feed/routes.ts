import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  createInsufficientScopeFault,
  DEFAULT_LIMIT,
  MAX_LIMIT,
  named,
  ok,
  operation,
  parseQuality,
  pathId,
} from '@boxoffice/http';
import { type Caller, toPrincipal } from '@boxoffice/identity';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { createEventExample, Event } from '../types/schemas.ts';
import { eventTypeNames, eventTypes, expandTypes, listVisibleTypes, typeGroups } from '../types/types.ts';
import type { Selection } from './read.ts';
import { START } from './read.ts';
import { poll } from './tail.ts';
import { toEventBounds, toEventView } from './visible.ts';

const MOST_WAIT_SECONDS = 30;

const EVENT_STREAM = 'text/event-stream';

const TYPE = `(${[...eventTypeNames, ...typeGroups].join('|').replaceAll(/[.*]/g, '[$&]')})`;

/** Comma-separated. */
const TYPES_PATTERN = `^${TYPE}(,${TYPE})*$`;

const query = {
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        '`nextCursor` of the page before, or the `id` of a streamed event; `start`: the oldest event; absent: from ' +
        'now on',
    }),
  ),
  types: Type.Optional(
    Type.String({
      maxLength: 1_000,
      pattern: TYPES_PATTERN,
      description: 'only events of these types, comma-separated; `order.*` is every type of orders',
    }),
  ),
  resource: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'only events of the resource with this id' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'events per page' }),
  ),
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MOST_WAIT_SECONDS,
      description: 'seconds to wait for the first event, if there is none yet',
    }),
  ),
};

const EventPage = named(
  'EventPage',
  Type.Object({
    items: Type.Array(Event),
    nextCursor: Type.String({
      description:
        '`after` of the next request, also on the last page; moves on over events that the filter leaves out',
    }),
  }),
);

const DESCRIPTION = [
  'In the order of `sequence`: whoever has seen one never later meets a lower one; it is null for a client with',
  'bounds. A token sees the types whose resource it may read: `catalog:read`, `contacts:read`, `orders:read`,',
  '`tickets:read`; of payments and refunds `orders.sensitive:read`; `types` that name others are 403. A client with',
  '`bounds` sees the events of resources within them: of contacts that it made or that its orders name (as long as',
  'one does), of the orders within them and their payments, refunds and tickets, and of the whole catalogue. With',
  '`Accept: text/event-stream` the answer is a stream of Server-Sent Events, whose `id` is the cursor:',
  '`Last-Event-ID` goes on. Every 15 seconds it has a comment and an advanced id; it ends when the token expires, is',
  'revoked or loses a scope, or the bounds of its client change: connect again. A client has at most 20 streams and',
  'waiting requests at once, at each instance of the service.',
].join('\n');

const event = createEventExample('order.confirmed');
const cursor = 'AAAAAAAAEmd0Qm1yV2V0bWFjT25l';
const example = {
  event,
  cursor,
  stream: `: \nid: ${cursor}\n\nid: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
};

export function createFeedRoutes({ feed, tail, cursors, streams, publicUrl }: Context): AnyOperation[] {
  return [
    operation({
      id: 'listEvents',
      method: 'get',
      path: '/svc/v3/events',
      access: 'events:read',
      summary: 'Reads the events after a cursor, or follows them',
      description: DESCRIPTION,
      query,
      answers: { 200: EventPage },
      errors: ['event_cursor_expired', 'too_many_requests'],
      streams: { mediaType: EVENT_STREAM, example: example.stream },
      answersWithin: MOST_WAIT_SECONDS + 10,
      example: {
        query: { after: example.cursor, types: 'order.*', wait: 20 },
        answer: { items: [example.event], nextCursor: example.cursor },
      },
      handle: async ({ caller, query: asked, header, closed }) => {
        const { institution } = caller;
        const selection = toSelection(caller, asked);
        const isStream = prefersStream(header('accept'));
        const given = (isStream ? header('last-event-id') : undefined) || asked.after;
        const findPosition = (cursor: string): number | Promise<number> =>
          cursor === START ? feed.start(institution) : cursors.read(caller, cursor);
        const after = await (given === undefined ? feed.head(institution) : findPosition(given));
        const client = toPrincipal(caller) ?? '';
        if (isStream) {
          // Refused here, and not within the stream.
          await feed.read(institution, after, selection, 1);
          return { ...ok(null as never), stream: streams.open({ institution, client, after, selection, closed }) };
        }
        const { limit = DEFAULT_LIMIT, wait = 0 } = asked;
        const reserve = () => streams.reserve({ institution, client, closed });
        const wanted = { institution, after, selection, limit, waitMs: wait * 1_000, closed, reserve };
        const { events, upTo } = await poll(feed, tail, wanted);
        const items = events.map((event) => toEventView(event, publicUrl, selection.bounds));
        return ok({ items, nextCursor: cursors.write(institution, upTo, selection.bounds) });
      },
    }),
    operation({
      id: 'getEvent',
      method: 'get',
      path: '/svc/v3/events/{eventId}',
      params: { eventId: pathId },
      access: 'events:read',
      summary: 'Reads an event',
      description: 'Found while it is kept, with a scope that reads its resource, and within the bounds of the client.',
      answers: { 200: Event },
      etag: true,
      example: { params: { eventId: example.event.id }, answer: example.event },
      handle: async ({ caller, params }) => {
        const bounds = toEventBounds(caller);
        const [event] = await feed.getAll(caller.institution, [params.eventId], bounds);
        if (!event || !listVisibleTypes(caller.scopes).some((type) => type === event.type)) throw createNotFoundFault();
        // An event never changes.
        return ok(toEventView(event, publicUrl, bounds), { etag: '1' });
      },
    }),
  ];
}

/** @throws {Fault} `invalid_parameter` for an unknown type, `forbidden` for one of which the caller sees nothing */
const toSelection = (
  caller: Caller,
  { types, resource }: { readonly types?: string; readonly resource?: string },
): Selection => {
  const visible = listVisibleTypes(caller.scopes);
  const bounds = toEventBounds(caller);
  if (types === undefined) return { types: visible, resource, bounds };
  const selectors = types.split(',');
  const wanted = expandTypes(selectors);
  const hidden = selectors.filter((one) => !expandTypes([one]).some((type) => visible.includes(type)));
  if (hidden.length > 0) {
    const missing = [...new Set(expandTypes(hidden).map((type) => eventTypes[type].scope))];
    throw createInsufficientScopeFault(
      `The token may not see ${hidden.join(', ')}: it lacks ${missing.join(' and ')}.`,
      missing,
    );
  }
  return { types: visible.filter((type) => wanted.includes(type)), resource, bounds };
};

/** The client names Server-Sent Events, and gives JSON no higher quality. */
const prefersStream = (accept = ''): boolean => {
  const quality = parseQuality(accept, EVENT_STREAM);
  return quality > 0 && quality >= parseQuality(accept, 'application/json');
};

const createNotFoundFault = () => new Fault('not_found', 'There is no event with this id.');
