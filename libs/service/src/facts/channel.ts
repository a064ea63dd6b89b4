import { channel } from 'node:diagnostics_channel';
import type { Message } from '@boxoffice/messaging';

/**
 * A moment in the life of a fact in its consumer: it came, or its handler has resolved (and it is not acknowledged
 * yet).
 */
export interface FactMoment {
  readonly queue: string;
  readonly type: string;
  readonly id: string;
  readonly attempt: number;
  readonly phase: 'received' | 'handled';
}

/**
 * A hook for tracing (node:diagnostics_channel): every moment of every fact of a queue; free of charge while nobody
 * listens.
 */
const facts = channel('boxoffice:fact');

/** Handles a message and tells the channel before and after. */
export const reporting = async (
  queue: string,
  { type, id }: Message,
  attempt: number,
  handle: () => Promise<void>,
): Promise<void> => {
  if (!facts.hasSubscribers) return handle();
  const moment = { queue, type, id, attempt };
  facts.publish({ ...moment, phase: 'received' } satisfies FactMoment);
  await handle();
  facts.publish({ ...moment, phase: 'handled' } satisfies FactMoment);
};
