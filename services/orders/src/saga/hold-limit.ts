import type { CollectionHandle } from '@boxoffice/store';
import { createRefusalFault, RefusedOrder } from '../api/faults.ts';
import { deriveId } from '../ids.ts';
import type { OrderDocument } from '../store.ts';

const REFRESH_MS = 2_000;
/** Clients in memory; above, idle ledgers are deleted. */
const MAX_LEDGERS = 1_000;

/** A client, a user at one, a login, or an address's visitors. A null client is a service, with limits of its own. */
export interface Holder {
  readonly institution: string;
  readonly client: string | null;
}

interface Ledger {
  held: Map<string, number>;
  refreshedAt: number;
  admitted: number;
  meanwhile: Map<string, number>;
  refreshing: Promise<void> | undefined;
}

/**
 * Exact in this process, writes in flight included; other processes count with a delay of two seconds. `now`: epoch
 * milliseconds, of deadlines; `elapsed`: monotonic milliseconds, of ages.
 */
export function createHoldLimit(
  orders: CollectionHandle<OrderDocument>,
  maxOf: (client: string) => number,
  { now = Date.now, elapsed = () => performance.now() } = {},
) {
  const ledgers = new Map<string, Ledger>();
  const keyOf = ({ institution, client }: Holder): string => JSON.stringify([institution, client]);

  const prune = (): void => {
    for (const [key, { refreshedAt, admitted, refreshing }] of ledgers)
      if (admitted === 0 && !refreshing && elapsed() - refreshedAt > REFRESH_MS) ledgers.delete(key);
  };

  const ledgerOf = (holder: Holder): Ledger => {
    const key = keyOf(holder);
    const known = ledgers.get(key);
    if (known) return known;
    if (ledgers.size >= MAX_LEDGERS) prune();
    const [held, meanwhile] = [new Map<string, number>(), new Map<string, number>()];
    const fresh = { held, meanwhile, refreshedAt: Number.NEGATIVE_INFINITY, admitted: 0, refreshing: undefined };
    ledgers.set(key, fresh);
    return fresh;
  };

  const read = async (ledger: Ledger, { institution, client }: Holder): Promise<void> => {
    ledger.meanwhile = new Map();
    const [startedAt, startedOn] = [elapsed(), now()];
    const found = await orders.of(institution).find({ where: { client, heldPlaces: { gt: 0 } } });
    // Past its deadline an order holds nothing, even before its expiry is written.
    const holding = found.filter(({ deadline }) => deadline === null || deadline > startedOn);
    ledger.held = new Map([...holding.map(({ id, heldPlaces }) => [id, heldPlaces] as const), ...ledger.meanwhile]);
    ledger.refreshedAt = startedAt;
  };

  const refresh = async (ledger: Ledger, holder: Holder): Promise<void> => {
    if (elapsed() - ledger.refreshedAt <= REFRESH_MS) return;
    ledger.refreshing ??= read(ledger, holder).finally(() => {
      ledger.refreshing = undefined;
    });
    await ledger.refreshing;
  };

  return {
    /**
     * Until the returned function is called: the order that has the places is recorded, or they are refused. @throws
     * Fault `order_hold_limit`
     */
    async admit(holder: Holder, places: number, most = Number.POSITIVE_INFINITY): Promise<() => void> {
      if (holder.client === null) return () => undefined;
      const ledger = ledgerOf(holder);
      await refresh(ledger, holder);
      const max = Math.min(maxOf(holder.client), most);
      const held = [...ledger.held.values()].reduce((sum, each) => sum + each, ledger.admitted);
      if (held + places > max)
        throw createRefusalFault(
          'hold_limit',
          `A client, a user at a client, a login or an address holds at most ${max} unsold places at once.`,
        );
      ledger.admitted += places;
      let left = places;
      return () => {
        ledger.admitted -= left;
        left = 0;
      };
    },

    record(holder: Holder, orderId: string, places: number): void {
      const ledger = ledgers.get(keyOf(holder));
      if (places > 0) ledger?.held.set(orderId, places);
      else ledger?.held.delete(orderId);
      if (ledger?.refreshing) ledger.meanwhile.set(orderId, places);
    },
  };
}

export type HoldLimit = ReturnType<typeof createHoldLimit>;

/** What `admit` would throw now. */
export async function findLimitRefusal(
  limit: Pick<HoldLimit, 'admit'>,
  holder: Holder,
  places: number,
): Promise<RefusedOrder | undefined> {
  try {
    const end = await limit.admit(holder, places);
    end();
  } catch (error) {
    if (error instanceof RefusedOrder) return error;
    throw error;
  }
}

/** Ids of clients and users contain no colon. */
const VISITOR = 'visitor:';

/** Only a hash of the address. */
export function deriveAddressHolder(institution: string, address: string): string {
  return deriveId(`${VISITOR}address`, institution, address);
}

/** Over all sessions of the login; only a hash of the user's id. */
export function deriveLoginHolder(institution: string, login: string): string {
  return deriveId(`${VISITOR}login`, institution, login);
}

export function selectLimitName(client: string): 'posHeldPlacesPerAddress' | 'posHeldPlacesPerLogin' | 'maxHeldPlaces' {
  if (client.startsWith(`${VISITOR}login`)) return 'posHeldPlacesPerLogin';
  return client.startsWith(VISITOR) ? 'posHeldPlacesPerAddress' : 'maxHeldPlaces';
}
