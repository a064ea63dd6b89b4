import type { Bus, Message, Subscription } from '@boxoffice/messaging';
import { runWithTrace, traceparentFrom } from '@boxoffice/runtime';
import type { Listener, Reaction } from './definition.ts';
import { told } from './fact-channel.ts';

/** What a message causes belongs to the trace of the request that caused the message. */
const inTraceOf = <Result>(message: Message, fn: () => Result): Result =>
  runWithTrace({ requestId: message.id, traceparent: traceparentFrom(message.traceparent) }, fn);

/** Subscribes a service to its facts, all of them or none; answers the subscriptions, in the order of their beginning. */
export const subscribeAll = async (
  bus: Bus,
  reactions: readonly Reaction[],
  listeners: readonly Listener[],
): Promise<Subscription[]> => {
  const subscriptions: Subscription[] = [];
  try {
    for (const { queue, handle } of reactions) {
      const traced = (message: Message, attempt: number) =>
        inTraceOf(message, () => told(queue.name, message, attempt, () => handle(message, attempt)));
      subscriptions.push(await bus.subscribe(queue, traced));
    }
    for (const { broadcast, hear } of listeners) {
      subscriptions.push(await bus.listen(broadcast, (message) => inTraceOf(message, () => hear(message))));
    }
    return subscriptions;
  } catch (error) {
    for (const subscription of subscriptions) await subscription.close().catch(() => undefined);
    throw error;
  }
};
