import type { QueueDepth } from '@boxoffice/messaging';
import type { OutboxEvent, Store } from '@boxoffice/store';
import { patiently } from './reading.ts';
import type { OnTheWay } from './suspects.ts';

/** More than so many waiting events say nothing of a single one. */
const EVENTS = 5_000;

const keysOf = ({ key, data }: OutboxEvent): string[] => {
  const { orderId, performanceId, contactNumber } = data as Readonly<Record<string, unknown>>;
  return [key, orderId, performanceId, contactNumber].filter((one) => typeof one === 'string');
};

/** What waits, and why the queues could not be asked, if they could not. */
interface Read extends OnTheWay {
  readonly unasked: string | undefined;
}

/**
 * Reads what waits: the events of every outbox, then how full the queues are. In this order: an event leaves the outbox for the queue.
 * A queue tells no keys, so that while one holds anything, or cannot be asked, everything may be on its way. What a consumer has in
 * hand at this moment is not seen; that is seconds at most, and what the pause between two looks is for.
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
