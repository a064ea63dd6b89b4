import { setImmediate as turn } from 'node:timers/promises';
import type { Handler } from '../port.ts';

/** What a consumer has written: how often each message took effect. */
export interface Ledger {
  readonly effects: ReadonlyMap<string, number>;
  /** Writes the effect. Atomic: nothing happens between looking and writing. */
  write(messageId: string, onlyOnce: boolean): void;
}

/** A consumer's store, as small as can be. */
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

/** The reaction that consumers are expected to have: it dedupes in the same write as its effect. */
export const reactOnce =
  (ledger: Ledger): Handler =>
  async ({ id }) => {
    await turn();
    ledger.write(id, true);
  };
