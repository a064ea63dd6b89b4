import { requireWork } from './due.ts';
import type {
  Collection,
  Document,
  Documents,
  DueChange,
  InsertOptions,
  New,
  Outbox,
  OutboxEvent,
  Store,
} from './port.ts';

/** A unique index, or the id, is taken. `index` is the declared name, or `id`. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
  readonly index: string;
  constructor(index: string) {
    super(`unique index ${index} violated`);
    this.index = index;
  }
}

/** Undefined if the id, or a member of a unique index, is taken. */
export async function insertUnlessTaken<T extends Document>(
  documents: Pick<Documents<T>, 'insert'>,
  document: New<T>,
  options?: InsertOptions<T>,
): Promise<T | undefined> {
  try {
    return await documents.insert(document, options);
  } catch (error) {
    if (error instanceof UniqueViolation) return undefined;
    throw error;
  }
}

export class IdempotencyKeyTaken extends Error {
  override readonly name = 'IdempotencyKeyTaken';
  constructor(key: string | undefined) {
    super(`the key ${key} is taken`);
  }
}

/** The call is valid and may be repeated later. A write that rejects with it may have been executed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

export interface Surroundings {
  readonly trace?: (() => string | undefined) | undefined;
  readonly logger?: { error(message: string, fields?: Record<string, unknown>): void } | undefined;
}

export function createListeners(surroundings: Surroundings) {
  const { subscribe, notify } = createListenersOf<[events: readonly OutboxEvent[]]>(
    surroundings,
    'a listener of the outbox failed',
  );
  const onCommitted: Outbox['onCommitted'] = subscribe;
  return { onCommitted, notify };
}

/** Listeners of committed writes: one that throws affects neither the write nor the others. */
const createListenersOf = <Given extends readonly unknown[]>({ logger }: Surroundings, failure: string) => {
  const listeners = new Set<(...given: Given) => void>();
  const subscribe = (listener: (...given: Given) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const notify = (...given: Given): void => {
    for (const listener of listeners) {
      try {
        listener(...given);
      } catch (error) {
        logger?.error(failure, { error });
      }
    }
  };
  return { subscribe, notify };
};

export function createDueListeners(surroundings: Surroundings) {
  const { subscribe, notify } = createListenersOf<[collection: string, at: number]>(
    surroundings,
    'a listener of due work failed',
  );
  const onDue: Store['onDue'] = subscribe;
  const notifyDue = (collection: string, due: DueChange | undefined): void => {
    const instants = Object.values(due ?? {}).filter((at) => at !== null);
    if (instants.length > 0) notify(collection, Math.min(...instants));
  };
  return { onDue, notifyDue };
}

const path = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/** The field of a condition, an order or an index. @throws for anything but a dotted path */
export function requirePath(field: string): string {
  if (!path.test(field)) throw new Error(`${JSON.stringify(field)} is not a field path`);
  return field;
}

/** The declaration of a collection. @throws if a name in it is not allowed */
export function requireDeclaration({ name, indexes, work }: Collection<Document>): void {
  requireName(name, /^[a-z_]+$/, 'a collection');
  requireWork(name, work);
  for (const index of indexes) {
    requireName(index.name, /^[A-Za-z0-9_]+$/, 'an index');
    if (index.fields.length === 0) throw new Error(`index ${index.name} of ${name} has no fields`);
  }
}

const requireName = (name: string, pattern: RegExp, what: string): void => {
  if (!pattern.test(name)) throw new Error(`${JSON.stringify(name)} is not a name of ${what}`);
};
