import type { Bus, Message, Subscription } from '@boxoffice/messaging';
import type { Listener, Reaction } from '../definition.ts';
import { reporting } from './channel.ts';
import { handling, inTraceOf } from './spans.ts';

/** Subscribes a service to its facts, all or none; returns the subscriptions, in the order of their start. */
export const subscribeAll = async (
  bus: Bus,
  reactions: readonly Reaction[],
  listeners: readonly Listener[],
  service: string,
): Promise<Subscription[]> => {
  const subscriptions: Subscription[] = [];
  try {
    for (const { queue, handle } of reactions) {
      const telling = (message: Message, attempt: number) =>
        reporting(queue.name, message, attempt, () => handle(message, attempt));
      subscriptions.push(await bus.subscribe(queue, handling(service, bus.system, queue.name, telling)));
    }
    for (const { broadcast, handle } of listeners) {
      subscriptions.push(await bus.listen(broadcast, (message) => inTraceOf(message, () => handle(message))));
    }
    return subscriptions;
  } catch (error) {
    for (const subscription of subscriptions) await subscription.close().catch(() => undefined);
    throw error;
  }
};
