import type { Documents } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import type { Delivered } from '../webhooks/client-rights.ts';
import type { Redelivery, WebhookDocument } from '../webhooks/documents.ts';
import type { DeliveryDocument } from './documents.ts';
import { planned } from './plan.ts';

/** Events that are planned with one write; of a stretch, only while fewer deliveries wait that were asked for. */
const BATCH = 200;

interface Sources {
  readonly feed: Pick<Feed, 'read' | 'start'>;
  readonly deliveries: Documents<DeliveryDocument>;
  readonly webhooks: Documents<WebhookDocument>;
}

/** Plans the deliveries that were asked for again, as far as they may wait. An interrupted call can be repeated. */
export const planRedeliveries = async (
  { feed, deliveries, webhooks }: Sources,
  webhook: WebhookDocument,
  delivered: Delivered,
  now: () => number,
): Promise<void> => {
  const { id: webhookId, institution, redeliveries = [] } = webhook;
  const waiting = { webhookId, outcome: 'waiting', origin: 'redelivery' } as const;

  const replace = (round: string, by: readonly Redelivery[]) =>
    webhooks.update(webhookId, (current) => ({
      next: {
        ...current,
        redeliveries: (current.redeliveries ?? []).flatMap((one) => (one.round === round ? by : [one])),
      },
    }));

  for (const request of redeliveries) {
    const { round, isSingle, until } = request;
    let { after } = request;
    while (after < until && (isSingle || (await deliveries.count(waiting)) < BATCH)) {
      const from = Math.max(after, await feed.start(institution));
      const { events, upTo } = await feed.read(institution, from, delivered, isSingle ? 1 : BATCH);
      const times = { dueAt: now(), now: now() };
      const within = events.filter(({ sequence }) => sequence <= until);
      await deliveries.insertMany(
        within.map((event) => planned(webhookId, event, { origin: 'redelivery', round }, times)),
      );
      after = upTo === from ? until : upTo;
    }
    const isDone = after >= until && (isSingle || (await deliveries.count({ ...waiting, round })) === 0);
    if (isDone) await replace(round, []);
    else if (after !== request.after) await replace(round, [{ ...request, after }]);
  }
};
