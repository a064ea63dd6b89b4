/** Requests that a gateway has counted: those of one minute that are alike in every other member. */
export interface CountedRequests {
  readonly institution: string;
  /** The minute in which they were answered. ISO 8601 UTC. */
  readonly minute: string;
  /** When the last of them was answered. Epoch milliseconds; absent where only the minute is known. */
  readonly last?: number;
  /** The key that came with the requests; null without one. Like the next two. */
  readonly apiKeyId: string | null;
  readonly clientId: string | null;
  readonly userId: string | null;
  /** The operationId; `none` of a path or a method that does not exist. */
  readonly operation: string;
  /** The HTTP status; 499 for a client that disconnected before its answer. */
  readonly status: number;
  /** Whether the key admitted them, so that they count against its quota; absent in reports of an earlier release. */
  readonly admitted?: boolean;
  readonly requests: number;
  /** Bytes of the answers' bodies. */
  readonly bytes: number;
}

/** One row of an interval's usage. */
export type UsageRow = Omit<CountedRequests, 'institution' | 'minute' | 'last' | 'admitted'>;

/** The last report of each gateway that a document includes: a report that is repeated changes nothing. */
export interface ReportMark {
  /** The id of the gateway process. */
  readonly id: string;
  /** The sequence number of its last report. */
  readonly upTo: number;
}

export const resolutions = ['minute', 'hour', 'day'] as const;
export type Resolution = (typeof resolutions)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The length of an interval. Milliseconds. */
export const lengthOf: Readonly<Record<Resolution, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };

/** How long the intervals of a resolution are kept after their end. Milliseconds. */
export const keptFor: Readonly<Record<Resolution, number>> = {
  minute: 3 * DAY_MS,
  hour: 92 * DAY_MS,
  day: 3 * 366 * DAY_MS,
};

/** The start of the interval that contains an instant. Epoch milliseconds; intervals are aligned to UTC. */
export const startOf = (resolution: Resolution, at: number): number => at - (at % lengthOf[resolution]);

/** Whether an interval that starts then is still kept at `now`. Epoch milliseconds. */
export const isKept = (resolution: Resolution, start: number, now: number): boolean =>
  start + lengthOf[resolution] + keptFor[resolution] > now;

const keyOf = ({ apiKeyId, clientId, userId, operation, status }: UsageRow): string =>
  JSON.stringify([apiKeyId, clientId, userId, operation, status]);

/** The rows with equal ones added up. */
export const mergedRows = (...lists: readonly (readonly UsageRow[])[]): UsageRow[] => {
  const merged = new Map<string, UsageRow>();
  for (const rows of lists) {
    for (const row of rows) {
      const key = keyOf(row);
      const known = merged.get(key);
      merged.set(
        key,
        known ? { ...known, requests: known.requests + row.requests, bytes: known.bytes + row.bytes } : row,
      );
    }
  }
  return [...merged.values()];
};

/** Whether the report is included already. */
export const isIncluded = (marks: readonly ReportMark[], gateway: string, sequence: number): boolean =>
  marks.some(({ id, upTo }) => id === gateway && upTo >= sequence);

/** The marks with this report as the gateway's last one. */
export const marked = <Mark extends ReportMark>(marks: readonly Mark[], mark: Mark): Mark[] => [
  ...marks.filter(({ id }) => id !== mark.id),
  mark,
];

/** The dimensions by which usage can be grouped, with the members of an item that they give. */
export const dimensions = ['apiKey', 'client', 'user', 'operation', 'status'] as const;
export type Dimension = (typeof dimensions)[number];

/** Added up requests. */
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

/** The totals with a row added. */
export const plus = (totals: Totals, { status, requests, bytes }: UsageRow): Totals => ({
  requests: totals.requests + requests,
  refused: totals.refused + (status >= 400 && status < 500 ? requests : 0),
  errors: totals.errors + (status >= 500 ? requests : 0),
  bytesOut: totals.bytesOut + bytes,
});

/** The values of the dimensions by which rows are grouped. */
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

/** Groups the rows of one interval, in the order of their keys. */
export const grouped = (rows: Iterable<UsageRow>, by: readonly Dimension[]): Grouped[] => {
  const groups = new Map<string, Grouped>();
  for (const row of rows) {
    const group = Object.fromEntries(by.map((dimension) => [memberOf[dimension], row[memberOf[dimension]]])) as Group;
    const key = JSON.stringify(Object.values(group));
    const { totals } = groups.get(key) ?? { totals: NOTHING };
    groups.set(key, { key, group, totals: plus(totals, row) });
  }
  return [...groups.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
};
