import { Fault } from '@boxoffice/envelope';
import type { Store } from '@boxoffice/store';
import { deliverNow } from '../deliveries/due.ts';
import { findLatestAttempt } from '../deliveries/plan.ts';
import { deliveriesCollection, type WebhookDocument, webhooksCollection } from '../store.ts';
import { applyWebhookChange, markDeleted } from './rules.ts';
import { toDeliveryView, toWebhookView } from './schemas.ts';

/** Has no secrets; `waiting` deliveries. */
export type WebhookSummary = ReturnType<typeof toWebhookView> & { readonly waiting: number };

export type DeliverySummary = ReturnType<typeof toDeliveryView>;

/** Sorted by creation. */
export async function listWebhooks(store: Store, institution: string): Promise<WebhookSummary[]> {
  const deliveries = store.collection(deliveriesCollection).of(institution);
  const found = await store
    .collection(webhooksCollection)
    .of(institution)
    .find({ where: { deletedAt: null }, orderBy: 'createdAt' });
  return Promise.all(
    found.map(async (webhook) => {
      const { id: webhookId } = webhook;
      const [last, waiting] = await Promise.all([
        findLatestAttempt(deliveries, webhookId),
        deliveries.count({ webhookId, outcome: 'waiting' }),
      ]);
      return { ...toWebhookView(webhook, last), waiting };
    }),
  );
}

export async function listDeliveries(
  store: Store,
  institution: string,
  webhookId: string,
  limit: number,
): Promise<DeliverySummary[]> {
  const deliveries = store.collection(deliveriesCollection).of(institution);
  const found = await deliveries.find({ where: { webhookId }, orderBy: 'createdAt', descending: true, limit });
  return found.map(toDeliveryView);
}

/** Its events are kept until its institution activates it. @throws {Fault} not_found */
export function pauseWebhook(store: Store, institution: string, webhookId: string): Promise<void> {
  return update(store, institution, webhookId, (current) => {
    if (current.state === 'disabled') throw new Fault('conflict', 'The webhook is disabled: nothing is delivered.');
    return applyWebhookChange(
      current,
      { state: 'paused' },
      { client: current.client, now: new Date(), head: current.since },
    );
  });
}

const update = async (
  store: Store,
  institution: string,
  webhookId: string,
  step: (current: WebhookDocument) => ReturnType<typeof applyWebhookChange>,
): Promise<void> => {
  const webhooks = store.collection(webhooksCollection).of(institution);
  const updated = await webhooks.update(webhookId, (current) => {
    if (current.deletedAt !== null) throw createNotFoundFault();
    return { next: step(current), due: deliverNow(current, Date.now()) };
  });
  if (!updated) throw createNotFoundFault();
};

const createNotFoundFault = (): Fault => new Fault('not_found', 'The institution has no webhook with this id.');

/** @throws {Fault} not_found */
export function deleteWebhook(store: Store, institution: string, webhookId: string): Promise<void> {
  return update(store, institution, webhookId, (current) => markDeleted(current, new Date()));
}
