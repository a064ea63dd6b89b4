import { Fault } from '@boxoffice/envelope';
import type { CollectionHandle } from '@boxoffice/store';
import { derivedId } from '../ids.ts';
import type { OrderDocument } from '../store.ts';

/** What is known of other processes is at most so old. */
const REFRESH_MS = 2_000;
/** Longest time for which a write may be awaited that tells the store of an admitted order: longer than the store's own deadlines. */
const WRITE_MS = 30_000;
/** More clients than this are not kept in mind at once. */
const MAX_LEDGERS = 1_000;

/** Whose places are counted together; a client of null is a service, which has limits of its own. */
export interface Holder {
  readonly institution: string;
  readonly client: string | null;
}

/**
 * How many unsold places a client may hold at once: exact for what goes through this process, also for what is still on its
 * way; what others did counts after two seconds. The store is the truth: this process counts of its own only what it is writing.
 */
export interface HoldLimit {
  /** @throws Fault `order_hold_limit` unless the order may hold so many places */
  check(holder: Holder, orderId: string, places: number): Promise<void>;
  /**
   * Counts the places of an order while `write` tells the store of them; from then on the store's word counts, and after a failure
   * what counted before. @throws Fault `order_hold_limit`; then nothing is written
   */
  admit<Written>(holder: Holder, orderId: string, places: number, write: () => Promise<Written>): Promise<Written>;
  /** What an order holds now, as it was written. */
  record(holder: Holder, orderId: string, places: number): void;
}

/** Places that the store is being told of. */
interface Admitted {
  readonly places: number;
  /** When the entry ends by the clock that never goes back, whatever becomes of its write. */
  readonly until: number;
}

interface Ledger {
  held: Map<string, number>;
  total: number;
  refreshedAt: number;
  readonly admitted: Map<string, Admitted>;
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

export interface Clocks {
  /** Epoch milliseconds, as deadlines are. */
  readonly now?: () => number;
  /** Milliseconds by a clock that never goes back, whoever sets the machine's: what is old is so by this one. */
  readonly elapsed?: () => number;
}

/** Makes the limit: `maxOf` says how many places a client may hold. */
export const createHoldLimit = (
  orders: CollectionHandle<OrderDocument>,
  maxOf: (client: string) => number,
  { now = Date.now, elapsed = () => performance.now() }: Clocks = {},
): HoldLimit => {
  const ledgers = new Map<string, Ledger>();

  const deleteEnded = ({ admitted }: Ledger): void => {
    for (const [id, { until }] of admitted) if (until <= elapsed()) admitted.delete(id);
  };

  const prune = (): void => {
    for (const [key, ledger] of ledgers) {
      deleteEnded(ledger);
      const { refreshedAt, admitted, refreshing } = ledger;
      if (admitted.size === 0 && !refreshing && elapsed() - refreshedAt > REFRESH_MS) ledgers.delete(key);
    }
  };

  const ledgerOf = (key: string): Ledger => {
    const known = ledgers.get(key);
    if (known) return known;
    if (ledgers.size >= MAX_LEDGERS) prune();
    const admitted = new Map<string, Admitted>();
    const fresh: Ledger = {
      held: new Map(),
      total: 0,
      refreshedAt: Number.NEGATIVE_INFINITY,
      admitted,
      meanwhile: undefined,
      refreshing: undefined,
    };
    ledgers.set(key, fresh);
    return fresh;
  };

  const read = async (ledger: Ledger, institution: string, client: string): Promise<void> => {
    deleteEnded(ledger);
    const meanwhile = new Map([...ledger.admitted].map(([id, { places }]) => [id, places]));
    ledger.meanwhile = meanwhile;
    const [startedAt, startedOn] = [elapsed(), now()];
    const found = await orders.of(institution).find({ where: { client, heldPlaces: { gt: 0 } } });
    ledger.meanwhile = undefined;
    ledger.held = new Map();
    ledger.total = 0;
    for (const { id, heldPlaces, deadline } of found) {
      // What is past due is free, also before the sweep has said so.
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

  const demandRoom = (ledger: Ledger, client: string, orderId: string, places: number): void => {
    const max = maxOf(client);
    if (ledger.total - (ledger.held.get(orderId) ?? 0) + places > max)
      throw new Fault('order_hold_limit', `A client holds at most ${max} unsold places at once.`);
  };

  return {
    async check({ institution, client }, orderId, places) {
      if (client !== null) demandRoom(await freshLedger(institution, client), client, orderId, places);
    },
    async admit({ institution, client }, orderId, places, write) {
      if (client === null) return write();
      const ledger = await freshLedger(institution, client);
      demandRoom(ledger, client, orderId, places);
      const before = ledger.held.get(orderId) ?? 0;
      const entry = { places, until: elapsed() + WRITE_MS };
      ledger.admitted.set(orderId, entry);
      set(ledger, orderId, places);
      try {
        return await write();
      } catch (error) {
        set(ledger, orderId, before);
        throw error;
      } finally {
        if (ledger.admitted.get(orderId) === entry) ledger.admitted.delete(orderId);
      }
    },
    record({ institution, client }, orderId, places) {
      if (client === null) return;
      const ledger = ledgers.get(keyOf(institution, client));
      if (ledger) set(ledger, orderId, places);
    },
  };
};

/** No client of an institution has a colon in its id. */
const VISITOR = 'visitor:';

/** Whose places the limit per address adds up: of the address itself only a hash is kept. */
export const visitorAt = (institution: string, address: string): string =>
  derivedId(`${VISITOR}address`, institution, address);

/** Whether places are held for a visitor of a point of sale, not for a client. */
export const isVisitor = (client: string): boolean => client.startsWith(VISITOR);
