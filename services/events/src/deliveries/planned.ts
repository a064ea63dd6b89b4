// Of each resource the first planned attempt is due, the others wait for it.

import type { Documents } from '@boxoffice/store';
import type { DeliveryDocument } from '../store.ts';

type Deliveries = Documents<DeliveryDocument>;

/** Sorted by lane. */
export function findFirstPlannedDelivery(
  deliveries: Deliveries,
  webhookId: string,
  resourceId: string,
  limit = 1,
): Promise<DeliveryDocument[]> {
  return deliveries.find({ where: { webhookId, outcome: 'waiting', resourceId }, orderBy: 'lane', limit });
}

/** Null: it waits for an earlier attempt of its resource. */
export async function setDue(deliveries: Deliveries, id: string, dueAt: number | null): Promise<void> {
  await deliveries.update(id, (current) =>
    current.outcome === 'waiting' ? { next: { ...current, dueAt } } : undefined,
  );
}

/** Where a claim ended early, a process can plan behind an attempt that another ends, which then waits for none. */
export async function makeFirstsDue(
  deliveries: Deliveries,
  webhookId: string,
  limit: number,
  now: number,
): Promise<boolean> {
  const held = await deliveries.find({ where: { webhookId, outcome: 'waiting', dueAt: null }, limit });
  const resources = [...new Set(held.map(({ resourceId }) => resourceId))];
  const firsts = await Promise.all(
    resources.map((resourceId) => findFirstPlannedDelivery(deliveries, webhookId, resourceId)),
  );
  const blocked = firsts.flat().filter((first) => first.dueAt === null);
  await Promise.all(blocked.map(({ id }) => setDue(deliveries, id, now)));
  return blocked.length > 0;
}

/** Leaves out what was due at `at`. */
export async function findNextDue(deliveries: Deliveries, webhookId: string, at: number): Promise<number | undefined> {
  const where = { webhookId, outcome: 'waiting', dueAt: { gt: at } } as const;
  const [next] = await deliveries.find({ where, orderBy: 'dueAt', limit: 1 });
  return next?.dueAt ?? undefined;
}
