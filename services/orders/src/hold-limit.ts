import { Fault } from '@boxoffice/envelope';
import type { CollectionHandle } from '@boxoffice/store';
import type { OrderDocument } from './store.ts';

/** What is known of other processes is at most so old. */
const REFRESH_MS = 2_000;
/** More clients than this are not kept in mind at once. */
const MAX_LEDGERS = 1_000;

/** Whose places are counted together; a client of null is a service, which has limits of its own. */
export interface Holder {
  readonly institution: string;
  readonly client: string | null;
}

/**
 * How many unsold places a client may hold at once: exact for what goes through this process, also for what is still on its
 * way; what others did counts after two seconds.
 */
export interface HoldLimit {
  /** Counts the places of an order before they are held. @throws Fault `order_hold_limit`; then nothing is counted */
  admit(holder: Holder, orderId: string, places: number): Promise<void>;
  /** What an order holds now, as it was written. */
  note(holder: Holder, orderId: string, places: number): void;
}

interface Ledger {
  held: Map<string, number>;
  total: number;
  refreshedAt: number;
  /** Admitted and not written yet: the store does not know of them. */
  readonly admitted: Map<string, number>;
  /** While the store is asked: what changed meanwhile. */
  meanwhile: Map<string, number> | undefined;
  refreshing: Promise<void> | undefined;
}

const set = (ledger: Ledger, orderId: string, places: number): void => {
  ledger.total += places - (ledger.held.get(orderId) ?? 0);
  if (places > 0) ledger.held.set(orderId, places);
  else ledger.held.delete(orderId);
  ledger.meanwhile?.set(orderId, places);
};

/** Makes the limit: `maxOf` says how many places a client may hold. `now` in epoch milliseconds. */
export const createHoldLimit = (
  orders: CollectionHandle<OrderDocument>,
  maxOf: (client: string) => number,
  now: () => number = Date.now,
): HoldLimit => {
  const ledgers = new Map<string, Ledger>();

  const prune = (): void => {
    for (const [key, { refreshedAt, admitted, refreshing }] of ledgers) {
      if (admitted.size === 0 && !refreshing && now() - refreshedAt > REFRESH_MS) ledgers.delete(key);
    }
  };

  const ledgerOf = (key: string): Ledger => {
    const known = ledgers.get(key);
    if (known) return known;
    if (ledgers.size >= MAX_LEDGERS) prune();
    const admitted = new Map<string, number>();
    const fresh = { held: new Map(), total: 0, refreshedAt: 0, admitted, meanwhile: undefined, refreshing: undefined };
    ledgers.set(key, fresh);
    return fresh;
  };

  const read = async (ledger: Ledger, institution: string, client: string): Promise<void> => {
    const meanwhile = new Map(ledger.admitted);
    ledger.meanwhile = meanwhile;
    const startedAt = now();
    const found = await orders.of(institution).find({ where: { client, heldPlaces: { gt: 0 } } });
    ledger.meanwhile = undefined;
    ledger.held = new Map();
    ledger.total = 0;
    for (const { id, heldPlaces, deadline } of found) {
      // What is past due is free, also before the sweep has said so.
      if (deadline === null || deadline > startedAt) set(ledger, id, heldPlaces);
    }
    for (const [id, places] of meanwhile) set(ledger, id, places);
    ledger.refreshedAt = startedAt;
  };

  const refresh = (ledger: Ledger, institution: string, client: string): Promise<void> => {
    ledger.refreshing ??= read(ledger, institution, client).finally(() => {
      ledger.refreshing = undefined;
      ledger.meanwhile = undefined;
    });
    return ledger.refreshing;
  };

  const keyOf = (institution: string, client: string): string => JSON.stringify([institution, client]);

  return {
    async admit({ institution, client }, orderId, places) {
      if (client === null) return;
      const max = maxOf(client);
      const ledger = ledgerOf(keyOf(institution, client));
      if (now() - ledger.refreshedAt > REFRESH_MS) await refresh(ledger, institution, client);
      if (ledger.total - (ledger.held.get(orderId) ?? 0) + places > max) {
        throw new Fault('order_hold_limit', `A client holds at most ${max} unsold places at once.`);
      }
      ledger.admitted.set(orderId, places);
      set(ledger, orderId, places);
    },
    note({ institution, client }, orderId, places) {
      if (client === null) return;
      const ledger = ledgers.get(keyOf(institution, client));
      if (!ledger) return;
      ledger.admitted.delete(orderId);
      set(ledger, orderId, places);
    },
  };
};
