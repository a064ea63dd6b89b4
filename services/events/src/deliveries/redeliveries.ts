import type { Documents } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import type { EventDocument } from '../store.ts';
import type { RedeliveryDocument, WebhookDocument } from '../webhooks/documents.ts';
import type { DeliveryDocument } from './documents.ts';
import { planned } from './plan.ts';

/** Events that are planned with one write. */
const BATCH = 200;

interface Sources {
  readonly feed: Pick<Feed, 'read' | 'start' | 'get'>;
  readonly deliveries: Documents<DeliveryDocument>;
  readonly redeliveries: Documents<RedeliveryDocument>;
}

/** The events of a request, as far as they are still kept. */
async function* eventsOf(
  { feed }: Sources,
  institution: string,
  { eventId, after, until, types }: RedeliveryDocument,
): AsyncGenerator<readonly EventDocument[]> {
  if (eventId !== null) {
    const event = await feed.get(institution, eventId);
    if (event) yield [event];
    return;
  }
  let from = Math.max(after, await feed.start(institution));
  while (from < until) {
    const { events, upTo } = await feed.read(institution, from, { types }, BATCH);
    const within = events.filter(({ sequence }) => sequence <= until);
    if (within.length > 0) yield within;
    if (upTo === from) return;
    from = upTo;
  }
}

/** Plans the deliveries that were asked for again. An interrupted call can be repeated. */
export const planRedeliveries = async (
  its: Sources,
  { id: webhookId, institution }: WebhookDocument,
  now: () => number,
): Promise<void> => {
  const open = await its.redeliveries.find({ where: { webhookId, state: 'open' }, orderBy: 'createdAt' });
  for (const request of open) {
    for await (const events of eventsOf(its, institution, request)) {
      const reason = { origin: 'redelivery', round: request.id } as const;
      const times = { dueAt: now(), now: now() };
      await its.deliveries.insertMany(events.map((event) => planned(webhookId, event, reason, times)));
    }
    await its.redeliveries.update(request.id, (current) => ({ next: { ...current, state: 'planned' } }));
  }
};
