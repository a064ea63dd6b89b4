import { repeat } from '@boxoffice/runtime/time';
import type { Store, Waiting } from './port.ts';

export interface StoreWatch {
  /** Called with what each look finds; returns what ends that. */
  onLook(listener: (waiting: Waiting) => void): () => void;
  close(): Promise<void>;
}

/** Looks for what waits in the store, at once and at intervals: once for all who do it. */
export function watchStore(
  store: Pick<Store, 'waiting'>,
  options: { readonly everyMs: number; failed(error: unknown): void },
): StoreWatch {
  const listeners = new Set<(waiting: Waiting) => void>();
  const look = async (): Promise<void> => {
    const waiting = await store.waiting();
    for (const listener of listeners) listener(waiting);
  };
  const looking = repeat(look, { ...options, atOnce: true });
  return {
    onLook(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => looking.close(),
  };
}
