import { channel } from 'node:diagnostics_channel';
import type { Bus, Handler, Message, Subscription } from '@boxoffice/messaging';
import {
  type Attributes,
  getRecorder,
  type Logger,
  openPersistently,
  parseTraceparent,
  readTraceparent,
  runWithTrace,
} from '@boxoffice/runtime';
import type { Closable, Reaction } from './definition.ts';

/** Publishes within a span, if spans are recorded: the message carries it, and its handler continues the trace. */
export function tracePublish(service: string, system: () => Bus['system'], publish: Bus['publish']): Bus['publish'] {
  return async (message) => {
    const span = getRecorder()?.({
      service,
      kind: 'producer',
      name: `publish ${message.type}`,
      parent: parentOf(message),
      attributes: {
        ...about(system(), message),
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        'messaging.destination.name': message.type,
      },
    });
    if (!span) return publish(message);
    try {
      await publish({ ...message, traceparent: span.traceparent });
      span.end();
    } catch (error) {
      span.end(failureName(error));
      throw error;
    }
  };
}

const parentOf = ({ traceparent }: Message): string | undefined =>
  parseTraceparent(traceparent) ? traceparent : undefined;

const about = (system: Bus['system'], { id, type }: Message): Attributes => ({
  'messaging.system': system,
  'messaging.message.id': id,
  'boxoffice.message.type': type,
});

const failureName = (error: unknown): string => (error instanceof Error ? error.name : 'error');

/** Handles a message in the trace of the request that caused it, and within a span, if spans are recorded. */
export function traceHandler(service: string, system: Bus['system'], queue: string, handle: Handler): Handler {
  return async (message, attempt) => {
    const span = getRecorder()?.({
      service,
      kind: 'consumer',
      name: `process ${queue}`,
      parent: parentOf(message),
      attributes: {
        ...about(system, message),
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': queue,
        'boxoffice.message.attempt': attempt,
      },
    });
    if (!span) {
      const trace = { requestId: message.id, traceparent: readTraceparent(message.traceparent) };
      return runWithTrace(trace, () => handle(message, attempt));
    }
    const trace = { requestId: message.id, traceparent: span.traceparent, service };
    try {
      await runWithTrace(trace, () => handle(message, attempt));
      span.end();
    } catch (error) {
      span.end(failureName(error));
      throw error;
    }
  };
}

/** A step of a fact in its consumer: it arrived, or its handler has resolved (and it is not acknowledged yet). */
export interface FactMoment {
  readonly queue: string;
  readonly type: string;
  readonly id: string;
  readonly attempt: number;
  readonly phase: 'received' | 'handled';
}

/** For tracing (node:diagnostics_channel): every step of every fact; free of cost without subscribers. */
const facts = channel('boxoffice:fact');

/** Subscribes a service to its facts, all or none; returns the subscriptions, in the order of their start. */
export async function subscribeAll(bus: Bus, reactions: readonly Reaction[], service: string): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  try {
    for (const { queue, handle } of reactions) {
      const telling = (message: Message, attempt: number) =>
        reporting(queue.name, message, attempt, () => handle(message, attempt));
      subscriptions.push(await bus.subscribe(queue, traceHandler(service, bus.system, queue.name, telling)));
    }
    return subscriptions;
  } catch (error) {
    for (const subscription of subscriptions) await subscription.close().catch(() => undefined);
    throw error;
  }
}

const reporting = async (
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

/** It may still be connecting, and publishes only after every subscription has started. */
export interface Subscriptions extends Pick<Bus, 'publish' | 'ping' | 'depths'>, Closable {
  /** Resolves when the bus is connected and everything is subscribed; rejects if that fails, or `close` comes first. */
  readonly started: Promise<void>;
}

interface SubscriptionsOptions {
  readonly service: string;
  readonly bus: Bus | Promise<Bus>;
  readonly reactions: readonly Reaction[];
  readonly logger: Logger;
}

/** With a connected bus a failure fails the start; with one that connects later, subscribing is retried. */
export function startSubscriptions({ service, bus: coming, reactions, logger }: SubscriptionsOptions): Subscriptions {
  let connected: Bus | undefined;
  let cancel = (): void => undefined;

  const subscribe = async (): Promise<Subscription[]> => {
    const bus = await coming;
    const attempt = () => subscribeAll(bus, reactions, service);
    if (!(coming instanceof Promise)) return attempt();
    const attempts = openPersistently('subscriptions', logger, attempt);
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
    publish: tracePublish(
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
}
