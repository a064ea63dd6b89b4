import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, ok, operation, pathId } from '@boxoffice/http';
import type { Context } from '../context.ts';
import { Event } from '../types/schemas.ts';
import { typesVisibleTo } from '../types/types.ts';
import * as example from './examples.ts';
import { eventView } from './view.ts';

const unknownEvent = () => new Fault('not_found', 'There is no event with this id.');

/** The operations on events. */
export const feedRoutes = ({ feed, publicUrl }: Context): AnyOperation[] => [
  operation({
    id: 'getEvent',
    method: 'get',
    path: '/svc/v3/events/{eventId}',
    params: { eventId: pathId },
    access: 'events:read',
    summary: 'Reads an event',
    description: 'Found while it is kept, with a scope that reads its resource.',
    answers: { 200: Event },
    example: { params: { eventId: example.event.id }, answer: example.event },
    handle: async ({ caller, params }) => {
      const event = await feed.get(caller.institution, params.eventId);
      if (!event || !typesVisibleTo(caller.scopes).some((type) => type === event.type)) throw unknownEvent();
      return ok(eventView(event, publicUrl) as never);
    },
  }),
];
