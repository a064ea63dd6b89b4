import type { Filter } from 'mongodb';
import type { Condition, Query, Where } from '../port.ts';
import { getRecordPath, type StoredRecord } from './record.ts';

export type RecordFilter = Filter<StoredRecord>;

const nothing: RecordFilter = { _id: { $in: [] } };
const operators = { gt: '$gt', gte: '$gte', lt: '$lt', lte: '$lte' } as const;

/** The conjunction of all conditions; without conditions it matches everything. */
export function combineAll(conditions: readonly RecordFilter[]): RecordFilter {
  return conditions.length === 0 ? {} : conditions.length === 1 ? { ...conditions[0] } : { $and: [...conditions] };
}

/** The conditions of `where`, within an institution unless that is undefined. */
export function buildConditions(where: Where, institution: string | undefined): RecordFilter[] {
  return [
    ...(institution === undefined ? [] : [{ institution }]),
    ...Object.entries(where).flatMap(([field, wanted]) => condition(field, wanted)),
  ];
}

const condition = (field: string, wanted: Condition | undefined): RecordFilter[] => {
  const path = getRecordPath(field);
  // An empty condition must not match every document.
  if (wanted === undefined) throw new Error(`the condition on ${field} is undefined`);
  if (wanted === null || typeof wanted !== 'object') return [{ [path]: wanted }];
  if ('in' in wanted) return [{ [path]: { $in: [...wanted.in] } }];
  if ('ne' in wanted) return [{ [path]: { $ne: wanted.ne } }];
  return Object.entries(operators).flatMap(([name, operator]) => {
    const bound = wanted[name as keyof typeof operators];
    if (bound === undefined) return [];
    return bound === null ? [nothing] : [{ [path]: { [operator]: bound } }];
  });
};

/** The cursor's alternatives form the root, so that MongoDB reads each from the index in order and merges them. */
export function buildPageQuery(query: Query, institution: string | undefined) {
  const path = getRecordPath(query.orderBy ?? 'id');
  const scope = buildConditions(query.where ?? {}, institution);
  const alternatives = beyond(path, query);
  const filter: RecordFilter =
    alternatives.length > 1
      ? { $or: alternatives.map((one) => combineAll([...scope, one])) }
      : combineAll([...scope, ...alternatives]);
  const direction = query.descending ? -1 : 1;
  return { filter, sort: { [path]: direction, _id: direction } as Readonly<Record<string, 1 | -1>> };
}

/** The range after the cursor, as alternatives that are each one range of the order's index. */
const beyond = (path: string, { descending, after }: Query): RecordFilter[] => {
  if (!after) return [];
  const next = descending ? '$lt' : '$gt';
  const { value, id } = after;
  if (path === '_id') return [{ _id: { [next]: id } } as RecordFilter];
  const tie = { [path]: value, _id: { [next]: id } } as RecordFilter;
  // Null sorts first, but ranges never match it.
  if (value === null) return descending ? [tie] : [tie, { [path]: { $ne: null } }];
  const rest = { [path]: { [next]: value } };
  return descending ? [tie, rest, { [path]: null }] : [tie, rest];
};
