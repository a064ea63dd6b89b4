import type { QueueDepth } from '@boxoffice/messaging';
import type { OutboxEvent, Store } from '@boxoffice/store';
import { patiently } from './reading.ts';
import type { OnTheWay } from './suspects.ts';

/** The most pending events that are matched by key; beyond this number every case counts as pending. */
const EVENTS = 5_000;

const keysOf = ({ key, data }: OutboxEvent): string[] => {
  const { orderId, performanceId, contactNumber } = data as Readonly<Record<string, unknown>>;
  return [key, orderId, performanceId, contactNumber].filter((one) => typeof one === 'string');
};

/** The pending messages, and the reason where the queues could not be read. */
interface Read extends OnTheWay {
  readonly unasked: string | undefined;
}

/**
 * Reads the pending messages: the events of every outbox, then the queue depths. The order matters: an event moves from
 * the outbox to the queue. Queues reveal no keys, so that any message, or an unreachable broker, makes every case
 * pending. Messages in processing are invisible; they take seconds at most, which the pause between two looks covers.
 */
export const readOnTheWay = async (
  stores: readonly Store[],
  queues: () => Promise<readonly QueueDepth[]>,
): Promise<Read> => {
  const keys = new Set<string>();
  let all = false;
  for (const { outbox } of stores) {
    const events = await patiently(() => outbox.pending(EVENTS));
    if (events.length >= EVENTS) all = true;
    for (const event of events) for (const key of keysOf(event)) keys.add(key);
  }
  let unasked: string | undefined;
  const depths = await queues().catch((error: unknown) => {
    unasked = error instanceof Error ? error.message : String(error);
    return [];
  });
  if (unasked !== undefined || depths.some(({ waiting, retrying }) => waiting + retrying > 0)) all = true;
  return { unasked, concerns: (some) => all || some.some((key) => keys.has(key)) };
};
