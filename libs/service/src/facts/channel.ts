import { channel } from 'node:diagnostics_channel';
import type { Message } from '@boxoffice/messaging';

/** A step of a fact in its consumer: it arrived, or its handler has resolved (and it is not acknowledged yet). */
export interface FactMoment {
  readonly queue: string;
  readonly type: string;
  readonly id: string;
  readonly attempt: number;
  readonly phase: 'received' | 'handled';
}

/**
 * A hook for tracing (node:diagnostics_channel): every step of every fact of a queue; free of cost without subscribers.
 */
const facts = channel('boxoffice:fact');

/** Handles a message and publishes both steps to the channel. */
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
