// Planned attempts of a webhook, as they are stored: of each resource the first is due, the others wait for it.

import type { Documents } from '@boxoffice/store';
import type { DeliveryDocument } from '../store.ts';

type Deliveries = Documents<DeliveryDocument>;

/** The first planned attempts of a resource, in their order. */
export function findFirstPlannedDelivery(
  deliveries: Deliveries,
  webhookId: string,
  resourceId: string,
  limit = 1,
): Promise<DeliveryDocument[]> {
  return deliveries.find({ where: { webhookId, outcome: 'waiting', resourceId }, orderBy: 'lane', limit });
}

/** Makes a planned attempt due at an instant, or lets it wait for an earlier one of its resource. */
export async function setDue(deliveries: Deliveries, id: string, dueAt: number | null): Promise<void> {
  await deliveries.update(id, (current) =>
    current.outcome === 'waiting' ? { next: { ...current, dueAt } } : undefined,
  );
}

/**
 * Makes the first attempts of resources due that wait for none; returns whether there were any. Two processes can leave
 * such ones: where a claim has ended early, the one plans behind an attempt that the other ends.
 */
export async function unblock(deliveries: Deliveries, webhookId: string, limit: number, now: number): Promise<boolean> {
  const held = await deliveries.find({ where: { webhookId, outcome: 'waiting', dueAt: null }, limit });
  const resources = [...new Set(held.map(({ resourceId }) => resourceId))];
  const firsts = await Promise.all(
    resources.map((resourceId) => findFirstPlannedDelivery(deliveries, webhookId, resourceId)),
  );
  const blocked = firsts.flat().filter((first) => first.dueAt === null);
  await Promise.all(blocked.map(({ id }) => setDue(deliveries, id, now)));
  return blocked.length > 0;
}

/** When the first of those is due that were not at an instant. */
export async function findNextDue(deliveries: Deliveries, webhookId: string, at: number): Promise<number | undefined> {
  const where = { webhookId, outcome: 'waiting', dueAt: { gt: at } } as const;
  const [next] = await deliveries.find({ where, orderBy: 'dueAt', limit: 1 });
  return next?.dueAt ?? undefined;
}
