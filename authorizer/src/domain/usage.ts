/** Requests of an interval that are alike in every other member. */
export interface UsageRow {
  /** The key that came with the requests; null without one. Like the next two. */
  readonly apiKeyId: string | null;
  readonly clientId: string | null;
  readonly userId: string | null;
  /** The operationId; `none` of a path or a method that does not exist. */
  readonly operation: string;
  /** The HTTP status; 499 for a client that disconnected before its answer. */
  readonly status: number;
  readonly requests: number;
  readonly bytes: number;
}

/** The last report of each gateway that a document includes: a report that is repeated changes nothing. */
export interface ReportMark {
  readonly id: string;
  readonly upTo: number;
}

export const resolutions = ['minute', 'hour', 'day'] as const;
export type Resolution = (typeof resolutions)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const lengthOf: Readonly<Record<Resolution, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };

/** How long the intervals of a resolution are kept after their end. Milliseconds. */
export const keptFor: Readonly<Record<Resolution, number>> = {
  minute: 3 * DAY_MS,
  hour: 92 * DAY_MS,
  day: 3 * 366 * DAY_MS,
};

/** The start of the interval that contains an instant. Epoch milliseconds; intervals are aligned to UTC. */
export function computeIntervalStart(resolution: Resolution, at: number): number {
  return at - (at % lengthOf[resolution]);
}

/** Whether an interval that starts then is still kept at `now`. Epoch milliseconds. */
export function isKept(resolution: Resolution, start: number, now: number): boolean {
  return start + lengthOf[resolution] + keptFor[resolution] > now;
}

export function mergeRows(...lists: readonly (readonly UsageRow[])[]): UsageRow[] {
  const merged = new Map<string, UsageRow>();
  for (const rows of lists) {
    for (const row of rows) {
      const key = toKey(row);
      const known = merged.get(key);
      merged.set(
        key,
        known ? { ...known, requests: known.requests + row.requests, bytes: known.bytes + row.bytes } : row,
      );
    }
  }
  return [...merged.values()];
}

const toKey = ({ apiKeyId, clientId, userId, operation, status }: UsageRow): string =>
  JSON.stringify([apiKeyId, clientId, userId, operation, status]);

export function isIncluded(marks: readonly ReportMark[], gateway: string, sequence: number): boolean {
  return marks.some(({ id, upTo }) => id === gateway && upTo >= sequence);
}

export function replaceMark<Mark extends ReportMark>(marks: readonly Mark[], mark: Mark): Mark[] {
  return [...marks.filter(({ id }) => id !== mark.id), mark];
}

export const dimensions = ['apiKey', 'client', 'user', 'operation', 'status'] as const;
export type Dimension = (typeof dimensions)[number];

export interface Totals {
  readonly requests: number;
  /** Answered with 4xx. */
  readonly refused: number;
  /** Answered with 5xx. */
  readonly errors: number;
  /** Bytes of the answers' bodies. */
  readonly bytesOut: number;
}

export const NOTHING: Totals = { requests: 0, refused: 0, errors: 0, bytesOut: 0 };

export function addRow(totals: Totals, { status, requests, bytes }: UsageRow): Totals {
  return {
    requests: totals.requests + requests,
    refused: totals.refused + (status >= 400 && status < 500 ? requests : 0),
    errors: totals.errors + (status >= 500 ? requests : 0),
    bytesOut: totals.bytesOut + bytes,
  };
}

export interface Group {
  readonly apiKeyId?: string | null;
  readonly clientId?: string | null;
  readonly userId?: string | null;
  readonly operation?: string;
  readonly status?: number;
}

const memberOf = {
  apiKey: 'apiKeyId',
  client: 'clientId',
  user: 'userId',
  operation: 'operation',
  status: 'status',
} as const satisfies Record<Dimension, keyof UsageRow>;

/** One group of an interval. `key` identifies the group and orders groups. */
interface Grouped {
  readonly key: string;
  readonly group: Group;
  readonly totals: Totals;
}

export function groupRows(rows: Iterable<UsageRow>, by: readonly Dimension[]): Grouped[] {
  const groups = new Map<string, Grouped>();
  for (const row of rows) {
    const group = Object.fromEntries(by.map((dimension) => [memberOf[dimension], row[memberOf[dimension]]])) as Group;
    const key = JSON.stringify(Object.values(group));
    const { totals } = groups.get(key) ?? { totals: NOTHING };
    groups.set(key, { key, group, totals: addRow(totals, row) });
  }
  return [...groups.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
}

/** What a gateway says of a caller whose limit it shares with others. Requests per minute. */
export interface Rate {
  /** `client` or `api_key`, and the id. */
  readonly caller: string;
  readonly perMinute: number;
  /** Admitted there in the last minute. */
  readonly used: number;
  /** The same and, at the present pace, what is refused there. */
  readonly wanted: number;
}

/** A caller's part of a limit at one gateway. Requests per minute. */
export interface Share extends Pick<Rate, 'used' | 'wanted'> {
  readonly gateway: string;
  readonly granted: number;
  /** Epoch milliseconds of the report. */
  readonly at: number;
}

/** A gateway that has not reported for so long is gone: what it was granted is free. Milliseconds. */
export const GATEWAY_MS = 15_000;

/** The fair part, but no more than the others do not hold: all together admit at most the limit in any minute. */
export function updateShares(
  shares: readonly Share[],
  gateway: string,
  { perMinute, used, wanted }: Rate,
  { gateways, now }: { readonly gateways: number; readonly now: number },
): readonly Share[] {
  const others = shares.filter((share) => share.gateway !== gateway && now - share.at <= MINUTE_MS);
  const held = others.reduce((sum, share) => sum + computeHeld(share, now), 0);
  const present = others.filter(({ at }) => now - at <= GATEWAY_MS);
  const wants = present.map((share) => share.wanted);
  const part = computeFairPart(perMinute, Math.max(gateways, present.length + 1), wanted, wants);
  const granted = Math.max(0, Math.min(perMinute - held, Math.ceil(part)));
  return used === 0 && wanted === 0 ? others : [...others, { gateway, granted, used, wanted, at: now }];
}

/** What a gateway may have admitted in any minute from its report on: a gateway that is gone only what it has. */
const computeHeld = ({ granted, used, at }: Share, now: number): number =>
  now - at > GATEWAY_MS ? used : Math.max(granted, used);

/** What it wants, and an even part of what nobody wants, so that a load that grows or moves is not refused. */
const computeFairPart = (perMinute: number, gateways: number, own: number, others: readonly number[]): number => {
  const wants = [own, ...others].toSorted((one, other) => one - other);
  let left = perMinute;
  for (const [index, want] of wants.entries()) {
    const part = left / (wants.length - index);
    if (want >= part) return Math.min(own, part);
    left -= want;
  }
  return own + left / gateways;
};
