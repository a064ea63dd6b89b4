// The limits of clients and API keys over several gateways: each reports what it uses, and gets its share.
import type { Store } from '@boxoffice/store';
import { GATEWAY_MS, type Rate, shared } from '../domain/usage.ts';
import { gatewaysCollection, INSTALLATION, limitSharesCollection, upsert } from '../store.ts';

/** The gateways that have reported lately, and the shares of the one that reports, by caller. Requests per minute. */
export interface Division {
  readonly gateways: number;
  readonly shares: Readonly<Record<string, number>>;
}

/** How long the shares of a caller are kept after a report. Milliseconds. */
const KEPT_MS = 120_000;

/** Makes the function that divides limits. `now` in epoch milliseconds. */
export const createDivideLimits = (store: Store, now: () => number) => {
  const gateways = store.collection(gatewaysCollection).of(INSTALLATION);
  const limits = store.collection(limitSharesCollection).of(INSTALLATION);

  const countGateways = async (gateway: string): Promise<number> => {
    const reportedAt = now();
    await upsert(gateways, gateway, (current) => ({ ...current, id: gateway, reportedAt }));
    return gateways.count({ reportedAt: { gt: reportedAt - GATEWAY_MS } });
  };

  const shareOf = async (gateway: string, rate: Rate, present: number): Promise<number> => {
    const at = now();
    const id = rate.caller;
    let granted = 0;
    await upsert(limits, id, (current) => {
      const shares = shared(current?.shares ?? [], gateway, rate, { gateways: present, now: at });
      granted = shares.find((share) => share.gateway === gateway)?.granted ?? 0;
      return { ...current, id, shares, expiresAt: at + KEPT_MS };
    });
    return granted;
  };

  /** Records that the gateway reports, and what it says of callers. */
  return async (gateway: string, rates: readonly Rate[]): Promise<Division> => {
    const present = await countGateways(gateway);
    const shares = await Promise.all(
      rates.map(async (rate): Promise<[string, number]> => [rate.caller, await shareOf(gateway, rate, present)]),
    );
    return { gateways: present, shares: Object.fromEntries(shares) };
  };
};

export type DivideLimits = ReturnType<typeof createDivideLimits>;
