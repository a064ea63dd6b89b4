import type { CollectionHandle, Condition, Document, Documents, Scalar, Where } from './port.ts';
import { type Wraps, wrapInserts, wrapMethods } from './wrapping.ts';

/** For each dotted path the values that a reader may see; other documents do not exist for it. Empty: everything. */
export type Bounds = Readonly<Record<string, readonly Scalar[]>>;

/** The value of the member at a dotted path; null where there is none. */
export function getValue(document: object, path: string): Scalar {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], document);
  return (value ?? null) as Scalar;
}

/** An insert out of bounds throws, as a defect of the service. A change may lead out of them: its result returns. */
export function restrictDocuments<T extends Document>(documents: Documents<T>, bounds: Bounds): Documents<T> {
  const fields = Object.entries(bounds);
  if (fields.length === 0) return documents;
  const isWithin = (document: object): boolean =>
    fields.every(([field, values]) => values.includes(getValue(document, field)));
  const requireWithin = <D extends object>(document: D): D => {
    if (!isWithin(document)) throw new Error(`a new document lacks a permitted ${Object.keys(bounds).join(', ')}`);
    return document;
  };
  const among = async <R>(where: Where | undefined, none: R, read: (within: Where) => Promise<R>): Promise<R> => {
    const within = narrow(where ?? {}, bounds);
    return within ? read(within) : none;
  };
  // Every method: one without its rule would reach beyond the bounds.
  const wraps: Required<Wraps<Documents<T>>> = {
    ...wrapInserts<T>(requireWithin),
    get: (get) => async (id) => {
      const found = await get(id);
      return found && isWithin(found) ? found : undefined;
    },
    find: (find) => async (query) => among(query?.where, [], (where) => find({ ...query, where })),
    count: (count) => async (where, most) => among(where, 0, (within) => count(within, most)),
    update: (update) => async (id, fn, options) => {
      let isVisible = false;
      const change = (current: T) => {
        isVisible = isWithin(current);
        return isVisible ? fn(current) : undefined;
      };
      const updated = await update(id, change, options);
      return isVisible ? updated : undefined;
    },
    delete: (remove, wrapped) => async (id, version) => {
      const found = await wrapped.get(id);
      return found !== undefined && (version ?? found.version) === found.version && remove(id, found.version);
    },
    claim: (claim) => async (request) => among(request.where, [], (where) => claim({ ...request, where })),
  };
  return wrapMethods(documents, wraps);
}

/** The query's conditions within the bounds; undefined if no document can meet them. */
const narrow = (where: Where, bounds: Bounds): Where | undefined => {
  const conditions: Record<string, Condition> = { ...where };
  for (const [field, values] of Object.entries(bounds)) {
    const asked = where[field];
    const left = asked === undefined ? values : values.filter((value) => holds(value, asked));
    const [only] = left;
    if (only === undefined) return undefined;
    // A single value is looked up in an index that also gives the order.
    conditions[field] = left.length === 1 ? only : { in: left };
  }
  return conditions;
};

const holds = (value: Scalar, condition: Condition): boolean => {
  if (condition === null || typeof condition !== 'object') return value === condition;
  if ('in' in condition) return condition.in.includes(value);
  if ('ne' in condition) return value !== condition.ne;
  const limits = Object.entries(condition).filter(([, limit]) => limit !== undefined);
  return limits.every(([operator, limit]) => {
    if (value === null || limit === null || typeof value !== typeof limit) return false;
    const order = compare(value, limit);
    if (operator === 'gt') return order > 0;
    if (operator === 'gte') return order >= 0;
    return operator === 'lt' ? order < 0 : order <= 0;
  });
};

/** Text compares by code point, as the engines do. */
const compare = (one: Scalar, other: Scalar): number =>
  typeof one === 'string' && typeof other === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(other))
    : Number(one) - Number(other);

/** @throws Error on any other institution, and on a look across institutions */
export function restrictCollection<T extends Document>(
  collection: CollectionHandle<T>,
  institution: string,
  bounds: Bounds,
): CollectionHandle<T> {
  const documents = restrictDocuments(collection.of(institution), bounds);
  return {
    of(other) {
      if (other !== institution) throw new Error(`a call for ${institution} reached for the documents of ${other}`);
      return documents;
    },
    get acrossInstitutions(): never {
      throw new Error(`a call for ${institution} reached for the documents of all institutions`);
    },
  };
}
