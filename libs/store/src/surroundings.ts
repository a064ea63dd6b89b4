import type { Outbox, OutboxEvent } from './port.ts';

/** Dependencies of an engine. */
export interface Surroundings {
  /** The traceparent of the current request, for the events it causes. */
  readonly trace?: (() => string | undefined) | undefined;
  readonly logger?: { error(message: string, fields?: Record<string, unknown>): void } | undefined;
}

/** The listeners of an outbox: one that throws affects neither the write nor the others. */
export const createListeners = ({ logger }: Surroundings) => {
  const listeners = new Set<(events: readonly OutboxEvent[]) => void>();
  const onCommitted: Outbox['onCommitted'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const notify = (events: readonly OutboxEvent[]): void => {
    for (const listener of listeners) {
      try {
        listener(events);
      } catch (error) {
        logger?.error('a listener of the outbox failed', { error });
      }
    }
  };
  return { onCommitted, notify };
};
