import {
  computeIntervalStart,
  keptFor,
  lengthOf,
  mergeRows,
  type Resolution,
  type UsageDocument,
  type UsageRow,
} from '@boxoffice/authorizer';
import { readDocuments } from '@boxoffice/store';
import { type Case, createCase, type Finding } from './findings.ts';
import type { CheckedCollections } from './reading.ts';

/** The finer intervals whose sum an interval is, where both are kept. */
const finer = { hour: 'minute', day: 'hour' } as const satisfies Partial<Record<Resolution, Resolution>>;

type Sum = keyof typeof finer;

interface Interval {
  readonly institution: string;
  readonly resolution: Sum;
  readonly start: number;
}

/** As far as the finer intervals are certainly all kept; `counted` receives the number of intervals. */
export async function* judgeUsage(
  collections: CheckedCollections,
  institution: string,
  counted: (intervals: number) => void,
): AsyncGenerator<Case[]> {
  const now = Date.now();
  for (const resolution of ['hour', 'day'] as const) {
    const length = lengthOf[resolution];
    const from = computeIntervalStart(resolution, now - keptFor[finer[resolution]] + 2 * length);
    for await (const judged of judgeIntervals(collections, institution, resolution, { from, to: now + length })) {
      counted(1);
      yield [judged];
    }
  }
}

/** Judges the intervals of a resolution, also those that have documents of one of both resolutions only. */
async function* judgeIntervals(
  collections: CheckedCollections,
  institution: string,
  resolution: Sum,
  bounds: { readonly from: number; readonly to: number },
): AsyncGenerator<Case> {
  const parts = groupsBy(resolution, usageOf(collections, institution, finer[resolution], bounds));
  const wholes = groupsBy(resolution, usageOf(collections, institution, resolution, bounds));
  let [part, whole] = [await parts.next(), await wholes.next()];
  while (!part.done || !whole.done) {
    const start = Math.min(part.done ? Infinity : part.value.start, whole.done ? Infinity : whole.value.start);
    const [ofPart, ofWhole] = [!part.done && part.value.start === start, !whole.done && whole.value.start === start];
    yield judgeInterval(
      { institution, resolution, start },
      ofPart ? part.value.documents : [],
      ofWhole ? whole.value.documents : [],
    );
    if (ofPart) part = await parts.next();
    if (ofWhole) whole = await wholes.next();
  }
}

async function* groupsBy(
  by: Sum,
  documents: AsyncIterable<UsageDocument>,
): AsyncGenerator<{ readonly start: number; readonly documents: UsageDocument[] }> {
  let group: { readonly start: number; readonly documents: UsageDocument[] } | undefined;
  for await (const document of documents) {
    const start = computeIntervalStart(by, Date.parse(document.start));
    if (group && group.start !== start) yield group;
    if (group?.start !== start) group = { start, documents: [] };
    group.documents.push(document);
  }
  if (group) yield group;
}

/** The documents of a resolution that start within these bounds, in order. Epoch milliseconds; `to` exclusive. */
const usageOf = (
  { usage }: CheckedCollections,
  institution: string,
  resolution: Resolution,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<UsageDocument> => {
  const where = { resolution, start: { gte: new Date(from).toISOString(), lt: new Date(to).toISOString() } };
  return readDocuments(usage.of(institution), { where, orderBy: 'start' });
};

const judgeInterval = (interval: Interval, parts: readonly UsageDocument[], whole: readonly UsageDocument[]): Case => {
  const { institution, resolution } = interval;
  const isByUser = resolution === 'day';
  const [added, stored] = [comparable(parts, isByUser), comparable(whole, isByUser)];
  const differing = [...new Set([...added.keys(), ...stored.keys()])].filter((key) => {
    const [sum, row] = [added.get(key), stored.get(key)];
    return sum?.requests !== row?.requests || sum?.bytes !== row?.bytes;
  });
  const [first] = differing;
  const id = idOf(interval);
  const findings: Finding[] = [];
  if (first !== undefined) {
    const { operation, status } = added.get(first) ?? stored.get(first) ?? { operation: '', status: 0 };
    const [sum, row] = [added.get(first), stored.get(first)].map(
      (one) => `${one?.requests ?? 0} (${one?.bytes ?? 0} B)`,
    );
    const when = new Date(interval.start).toISOString();
    const text = `usage of the ${resolution} from ${when}: ${operation} ${status} has ${row}, its ${finer[resolution]}s ${sum}; ${differing.length} rows differ`;
    findings.push({ invariant: 'usage', offenders: [id], text, underWay: isReporting(parts, whole) });
  }
  return createCase('usage', { id, institution, version: 0 }, findings, [...parts, ...whole]);
};

/** Rows in the least detail of both resolutions: minutes do not name users. */
const comparable = (documents: readonly UsageDocument[], isByUser: boolean): Map<string, UsageRow> => {
  const rows = documents.flatMap((document) => document.rows);
  const merged = mergeRows(isByUser ? rows : rows.map((row) => ({ ...row, userId: null })));
  return new Map(
    merged.map((row) => {
      const { apiKeyId, clientId, userId, operation, status } = row;
      return [JSON.stringify([apiKeyId, clientId, userId, operation, status]), row];
    }),
  );
};

const idOf = ({ institution, resolution, start }: Interval): string =>
  `${institution} ${resolution} ${new Date(start).toISOString()}`;

/** Whether a report is in one of them and not in the other: its gateway repeats it until it is in both. */
const isReporting = (some: readonly UsageDocument[], others: readonly UsageDocument[]): boolean => {
  const [left, right] = [reportsOf(some), reportsOf(others)];
  return left.size !== right.size || [...left].some(([gateway, upTo]) => right.get(gateway) !== upTo);
};

const reportsOf = (documents: readonly UsageDocument[]): Map<string, number> => {
  const last = new Map<string, number>();
  for (const { gateways } of documents) {
    for (const { id, upTo } of gateways) last.set(id, Math.max(last.get(id) ?? 0, upTo));
  }
  return last;
};

export async function judgeUsageAgain(collections: CheckedCollections, ids: readonly string[]): Promise<Case[]> {
  const cases: Case[] = [];
  for (const { institution, resolution, start } of ids.map(intervalOf)) {
    const bounds = { from: start, to: start + lengthOf[resolution] };
    for await (const judged of judgeIntervals(collections, institution, resolution, bounds)) cases.push(judged);
  }
  return cases;
}

const intervalOf = (id: string): Interval => {
  const [institution = '', resolution, start = ''] = id.split(' ');
  return { institution, resolution: resolution === 'day' ? 'day' : 'hour', start: Date.parse(start) };
};
