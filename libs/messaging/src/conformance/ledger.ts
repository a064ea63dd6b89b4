import { setImmediate as turn } from 'node:timers/promises';
import type { Handler } from '../port.ts';

/** The effects that a consumer has written: how often each message took effect. */
export interface Ledger {
  readonly effects: ReadonlyMap<string, number>;
  /** Writes the effect atomically: nothing runs between check and write. */
  write(messageId: string, onlyOnce: boolean): void;
}

/** A minimal consumer's store. */
export const createLedger = (): Ledger => {
  const effects = new Map<string, number>();
  return {
    effects,
    write(messageId, onlyOnce) {
      const before = effects.get(messageId) ?? 0;
      if (!onlyOnce || before === 0) effects.set(messageId, before + 1);
    },
  };
};

/** The expected reaction of consumers: it deduplicates in the same write as its effect. */
export const reactOnce =
  (ledger: Ledger): Handler =>
  async ({ id }) => {
    await turn();
    ledger.write(id, true);
  };
