// Facts: the subscriptions of a service, and the spans of publishing and handling.

import type { Bus, Subscription } from '@boxoffice/messaging';
import { type Logger, persistently } from '@boxoffice/runtime';
import type { Closable, Listener, Reaction } from '../definition.ts';
import { publishing } from './spans.ts';
import { subscribeAll } from './subscribe-all.ts';

/**
 * The bus as a service sees it: possibly still connecting, and publishing only after every subscription has started.
 */
export interface Subscriptions extends Pick<Bus, 'publish' | 'ping' | 'depths'>, Closable {
  /** Resolves when the bus is connected and everything is subscribed; rejects if that fails, or `close` comes first. */
  readonly started: Promise<void>;
}

export interface SubscriptionsOptions {
  /** The subscribing service. */
  readonly service: string;
  readonly bus: Bus | Promise<Bus>;
  readonly reactions: readonly Reaction[];
  readonly listeners: readonly Listener[];
  readonly logger: Logger;
}

/**
 * Subscribes a service to its facts. With a connected bus a failure fails the start; with one that connects later,
 * while the service already serves, subscribing is retried until it succeeds.
 */
export const startSubscriptions = ({
  service,
  bus: coming,
  reactions,
  listeners,
  logger,
}: SubscriptionsOptions): Subscriptions => {
  let connected: Bus | undefined;
  let cancel = (): void => undefined;

  const subscribe = async (): Promise<Subscription[]> => {
    const bus = await coming;
    const attempt = () => subscribeAll(bus, reactions, listeners, service);
    if (!(coming instanceof Promise)) return attempt();
    const attempts = persistently('subscriptions', logger, attempt);
    cancel = attempts.cancel;
    return attempts.opened;
  };

  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => undefined);
  const subscribed = Promise.race([subscribe(), closed.promise]);
  const started = subscribed.then(async () => {
    connected = await coming;
  });
  // Callers may await it to see a failure; without one the rejection must not be unhandled.
  started.catch(() => undefined);

  const there = (): Bus => {
    if (connected) return connected;
    throw new Error('the broker is not connected yet');
  };
  return {
    started,
    publish: publishing(
      service,
      () => there().system,
      async (message) => there().publish(message),
    ),
    ping: async () => there().ping(),
    depths: async (queues) => there().depths(queues),
    async close() {
      cancel();
      closed.reject(new Error('the service is stopping'));
      const subscriptions = await subscribed.catch(() => []);
      for (const subscription of subscriptions.reverse()) await subscription.close();
    },
  };
};
