import type { CollectionHandle } from '@boxoffice/store';
import { refusal } from '../api/faults.ts';
import { derivedId } from '../ids.ts';
import type { OrderDocument } from '../store.ts';

/** Maximum age of what this process knows of other processes' holds. */
const REFRESH_MS = 2_000;
/** Clients in memory above which idle ledgers are deleted. */
const MAX_LEDGERS = 1_000;

/**
 * The party whose places are counted together: a client, a user at a client, or the visitors of an address. A null
 * client is a service, which has limits of its own.
 */
export interface Holder {
  readonly institution: string;
  readonly client: string | null;
}

/**
 * Hold limit: how many unsold places a client may hold at once. Exact for everything in this process, writes in
 * flight included; other processes count with a delay of two seconds. The store is the source of truth: this process
 * adds only the writes it has in flight.
 */
export interface HoldLimit {
  /**
   * Counts more places until the returned function is called: once the order that has them is recorded, or they are
   * refused. @throws Fault `order_hold_limit`
   */
  admit(holder: Holder, places: number): Promise<() => void>;
  /** Records the places that an order holds, as written. */
  record(holder: Holder, orderId: string, places: number): void;
}

interface Ledger {
  held: Map<string, number>;
  total: number;
  refreshedAt: number;
  /** Places whose write is in flight. */
  admitted: number;
  /** Changes made while the store is being read. */
  meanwhile: Map<string, number> | undefined;
  refreshing: Promise<void> | undefined;
}

const set = (ledger: Ledger, orderId: string, places: number): void => {
  ledger.total += places - (ledger.held.get(orderId) ?? 0);
  if (places > 0) ledger.held.set(orderId, places);
  else ledger.held.delete(orderId);
  ledger.meanwhile?.set(orderId, places);
};

export interface Clocks {
  /** Epoch milliseconds, the unit of deadlines. */
  readonly now?: () => number;
  /** Monotonic milliseconds, for ages: independent of changes to the system clock. */
  readonly elapsed?: () => number;
}

/** Creates the limit; `maxOf` returns the maximum number of places per client. */
export const createHoldLimit = (
  orders: CollectionHandle<OrderDocument>,
  maxOf: (client: string) => number,
  { now = Date.now, elapsed = () => performance.now() }: Clocks = {},
): HoldLimit => {
  const ledgers = new Map<string, Ledger>();

  const prune = (): void => {
    for (const [key, ledger] of ledgers) {
      const { refreshedAt, admitted, refreshing } = ledger;
      if (admitted === 0 && !refreshing && elapsed() - refreshedAt > REFRESH_MS) ledgers.delete(key);
    }
  };

  const ledgerOf = (key: string): Ledger => {
    const known = ledgers.get(key);
    if (known) return known;
    if (ledgers.size >= MAX_LEDGERS) prune();
    const fresh: Ledger = {
      held: new Map(),
      total: 0,
      refreshedAt: Number.NEGATIVE_INFINITY,
      admitted: 0,
      meanwhile: undefined,
      refreshing: undefined,
    };
    ledgers.set(key, fresh);
    return fresh;
  };

  const read = async (ledger: Ledger, institution: string, client: string): Promise<void> => {
    const meanwhile = new Map<string, number>();
    ledger.meanwhile = meanwhile;
    const [startedAt, startedOn] = [elapsed(), now()];
    const found = await orders.of(institution).find({ where: { client, heldPlaces: { gt: 0 } } });
    ledger.meanwhile = undefined;
    ledger.held = new Map();
    ledger.total = 0;
    for (const { id, heldPlaces, deadline } of found) {
      // An order past its deadline holds nothing, even before the sweep expires it.
      if (deadline === null || deadline > startedOn) set(ledger, id, heldPlaces);
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

  const freshLedger = async (institution: string, client: string): Promise<Ledger> => {
    const ledger = ledgerOf(keyOf(institution, client));
    if (elapsed() - ledger.refreshedAt > REFRESH_MS) await refresh(ledger, institution, client);
    return ledger;
  };

  return {
    async admit({ institution, client }, places) {
      if (client === null) return () => undefined;
      const ledger = await freshLedger(institution, client);
      const max = maxOf(client);
      if (ledger.total + ledger.admitted + places > max)
        throw refusal('hold_limit', `A client, or a user at a client, holds at most ${max} unsold places at once.`);
      ledger.admitted += places;
      let left = places;
      return () => {
        ledger.admitted -= left;
        left = 0;
      };
    },
    record({ institution, client }, orderId, places) {
      if (client === null) return;
      const ledger = ledgers.get(keyOf(institution, client));
      if (ledger) set(ledger, orderId, places);
    },
  };
};

/** Ids of clients and users contain no colon. */
const VISITOR = 'visitor:';

/** The holder for the limit per address; contains only a hash of the address. */
export const visitorAt = (institution: string, address: string): string =>
  derivedId(`${VISITOR}address`, institution, address);

/** Whether the places are held for a visitor of a point of sale rather than for a client. */
export const isVisitor = (client: string): boolean => client.startsWith(VISITOR);
