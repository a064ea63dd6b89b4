import { subscribe } from 'node:diagnostics_channel';
import type { Message } from '@boxoffice/messaging';
import type { FactMoment } from '@boxoffice/service';
import type { Deliveries } from './orders.ts';

const handled: string[] = [];
let outOfOrder = 0;

/** When the latest fact of a queue and key occurred that has arrived, and the ids of those that have. */
const arrivals = new Map<string, { latest: string; readonly ids: Set<string> }>();

/** Records the facts that the reactions of this process handle from now on. */
export const recordDeliveries = (): void =>
  subscribe('boxoffice:fact', (moment) => {
    const { phase, queue, id } = moment as FactMoment;
    if (phase === 'handled') handled.push(`${queue} ${id}`);
  });

/** Records that a fact arrives, perhaps after a later one of its key. */
export const recordArrival = (queue: string, { key, id, occurredAt }: Message): void => {
  const name = `${queue} ${key}`;
  const before = arrivals.get(name) ?? { latest: occurredAt, ids: new Set() };
  if (!before.ids.has(id) && occurredAt < before.latest) outOfOrder += 1;
  if (occurredAt > before.latest) before.latest = occurredAt;
  before.ids.add(id);
  arrivals.set(name, before);
};

/** The deliveries since the last call. */
export const takeDeliveries = (): Deliveries => {
  const taken = { handled: handled.splice(0), outOfOrder };
  outOfOrder = 0;
  arrivals.clear();
  return taken;
};
