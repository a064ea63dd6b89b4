import { hash } from 'node:crypto';
import { createNullableSchema, timestamp } from '@boxoffice/http';
import { runForEach, type Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { formatMonth } from '../domain/api-key.ts';
import {
  computeIntervalStart,
  GATEWAY_MS,
  isIncluded,
  isKept,
  keptFor,
  lengthOf,
  mergeRows,
  type Rate,
  type Resolution,
  replaceMark,
  resolutions,
  type UsageRow,
  updateShares,
} from '../domain/usage.ts';
import {
  apiKeyUsesCollection,
  gatewaysCollection,
  INSTALLATION,
  limitSharesCollection,
  upsert,
  usageCollection,
} from '../store.ts';

const text = Type.String({ maxLength: 256 });
const count = Type.Integer({ minimum: 0 });

/** A gateway sends a report until it is acknowledged, unchanged; `sequence` is one more than that before, from 1. */
export const UsageReport = Type.Object({
  gateway: text,
  sequence: Type.Integer({ minimum: 1 }),
  rows: Type.Array(
    Type.Object({
      institution: text,
      minute: timestamp,
      last: Type.Optional(count),
      apiKeyId: createNullableSchema(text),
      clientId: createNullableSchema(text),
      userId: createNullableSchema(text),
      operation: text,
      status: count,
      admitted: Type.Optional(Type.Boolean({ description: 'whether they count against the quota of the key' })),
      requests: count,
      bytes: count,
    }),
  ),
  rates: Type.Optional(
    Type.Array(Type.Object({ caller: text, perMinute: count, used: count, wanted: count }), {
      description: 'callers whose limit the gateway shares with others, in requests per minute',
    }),
  ),
});

type UsageReport = Static<typeof UsageReport>;

export type CountedRequests = UsageReport['rows'][number];

type Report = Pick<UsageReport, 'gateway' | 'sequence'> & { readonly rows: readonly CountedRequests[] };

export const Division = Type.Object({
  gateways: Type.Integer({ minimum: 1, description: 'that have reported lately, this one included' }),
  shares: Type.Record(Type.String(), count, { description: 'requests per minute, by caller' }),
});

/** Documents over which the rows of users are spread, so that none of them grows too large. */
const USER_CHUNKS = 16;

const CONCURRENCY = 8;

/** Longer than a gateway repeats a report. Milliseconds. */
const MARK_MS = 7 * 24 * 60 * 60_000;

const TOO_MANY = 429;

interface Addition {
  readonly institution: string;
  readonly resolution: Resolution;
  readonly start: number;
  readonly chunk: number;
  readonly rows: UsageRow[];
}

interface KeyUse {
  readonly institution: string;
  readonly apiKeyId: string;
  readonly months: Map<string, number>;
  lastUsedAt: string;
}

/**
 * The returned function adds a report, and resolves when it is durable. Each document names the last report of each
 * gateway that it includes, so that one which is repeated, also after a failure halfway, adds nothing twice.
 */
export function createRecordUsage(store: Store, now: () => number) {
  const usage = store.collection(usageCollection);
  const uses = store.collection(apiKeyUsesCollection);

  return async ({ gateway, sequence, rows }: Report): Promise<void> => {
    const add = (id: string, { institution, resolution, start, chunk, rows: added }: Addition) =>
      upsert(usage.of(institution), id, (current) => {
        if (current && isIncluded(current.gateways, gateway, sequence)) return undefined;
        return {
          ...current,
          id,
          resolution,
          start: new Date(start).toISOString(),
          chunk,
          rows: mergeRows(current?.rows ?? [], added),
          gateways: replaceMark(current?.gateways ?? [], { id: gateway, upTo: sequence }),
          expiresAt: start + lengthOf[resolution] + keptFor[resolution],
        };
      });

    const use = ({ institution, apiKeyId, months, lastUsedAt }: KeyUse) =>
      upsert(uses.of(institution), apiKeyId, (current) => {
        if (current && isIncluded(current.gateways, gateway, sequence)) return undefined;
        const latest = formatMonth(Date.parse(lastUsedAt));
        const month = current && current.month > latest ? current.month : latest;
        const known = current?.month === month ? current.used : 0;
        const at = now();
        const marks = (current?.gateways ?? []).filter((mark) => mark.at > at - MARK_MS);
        return {
          ...current,
          id: apiKeyId,
          month,
          used: known + (months.get(month) ?? 0),
          lastUsedAt: current && current.lastUsedAt > lastUsedAt ? current.lastUsedAt : lastUsedAt,
          gateways: replaceMark(marks, { id: gateway, upTo: sequence, at }),
        };
      });

    await runForEach([...toAdditions(rows, now())].values(), CONCURRENCY, ([id, addition]) => add(id, addition));
    await runForEach(toKeyUses(rows).values(), CONCURRENCY, use);
  };
}

const toAdditions = (rows: readonly CountedRequests[], now: number): Map<string, Addition> => {
  const additions = new Map<string, Addition>();
  for (const counted of rows) {
    const { institution, minute } = counted;
    for (const resolution of resolutions) {
      const start = computeIntervalStart(resolution, Date.parse(minute));
      if (!isKept(resolution, start, now)) continue;
      const row = toRow(counted, resolution);
      const chunk = chooseChunk(row);
      const id = `${institution}.${resolution}.${new Date(start).toISOString()}.${chunk}`;
      const addition = additions.get(id);
      if (addition) addition.rows.push(row);
      else additions.set(id, { institution, resolution, start, chunk, rows: [row] });
    }
  }
  return additions;
};

const toRow = (
  { apiKeyId, clientId, userId, operation, status, requests, bytes }: CountedRequests,
  resolution: Resolution,
): UsageRow => ({
  apiKeyId,
  clientId,
  // Minutes of many users would be long, and no report needs them.
  userId: resolution === 'minute' ? null : userId,
  operation,
  status,
  requests,
  bytes,
});

const chooseChunk = ({ userId }: UsageRow): number =>
  userId === null ? 0 : 1 + (hash('sha256', userId, 'buffer').readUInt32BE(0) % USER_CHUNKS);

const toKeyUses = (rows: readonly CountedRequests[]): KeyUse[] => {
  const uses = new Map<string, KeyUse>();
  for (const counted of rows) {
    const { institution, apiKeyId, minute, last, requests } = counted;
    if (apiKeyId === null) continue;
    const usedAt = last === undefined ? minute : new Date(last).toISOString();
    const use = uses.get(apiKeyId) ?? { institution, apiKeyId, months: new Map(), lastUsedAt: usedAt };
    const month = formatMonth(Date.parse(minute));
    use.months.set(month, (use.months.get(month) ?? 0) + (countsAgainstQuota(counted) ? requests : 0));
    if (use.lastUsedAt < usedAt) use.lastUsedAt = usedAt;
    uses.set(apiKeyId, use);
  }
  return [...uses.values()];
};

/** Whether the requests count against the quota of their key: refused ones do not. */
const countsAgainstQuota = ({ admitted, status }: CountedRequests): boolean => admitted ?? status !== TOO_MANY;

const KEPT_MS = 120_000;

export function createDivideLimits(store: Store, now: () => number) {
  const gateways = store.collection(gatewaysCollection).of(INSTALLATION);
  const limits = store.collection(limitSharesCollection).of(INSTALLATION);

  const countGateways = async (gateway: string): Promise<number> => {
    const reportedAt = now();
    await upsert(gateways, gateway, (current) => ({ ...current, id: gateway, reportedAt }));
    return gateways.count({ reportedAt: { gt: reportedAt - GATEWAY_MS } });
  };

  const updateShare = async (gateway: string, rate: Rate, present: number): Promise<number> => {
    const at = now();
    const id = rate.caller;
    let granted = 0;
    await upsert(limits, id, (current) => {
      const shares = updateShares(current?.shares ?? [], gateway, rate, { gateways: present, now: at });
      granted = shares.find((share) => share.gateway === gateway)?.granted ?? 0;
      return { ...current, id, shares, expiresAt: at + KEPT_MS };
    });
    return granted;
  };

  return async (gateway: string, rates: readonly Rate[]): Promise<Static<typeof Division>> => {
    const present = await countGateways(gateway);
    const shares = await Promise.all(
      rates.map(async (rate): Promise<[string, number]> => [rate.caller, await updateShare(gateway, rate, present)]),
    );
    return { gateways: present, shares: Object.fromEntries(shares) };
  };
}
