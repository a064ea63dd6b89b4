import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type Collection,
  type CollectionHandle,
  collection,
  type Document,
  type Documents,
  type New,
  type Store,
} from '../port.ts';

export interface Engine {
  /** Opens another instance on the same data; to the engine it is another process. */
  open(collections: readonly Collection<Document>[]): Promise<Store>;
  /** How a child process opens an instance on the same data, for the checks that kill it. */
  readonly child: ChildEngine;
  /** Removes the data; called after every store is closed. */
  remove(): Promise<void>;
}

/** A module that exports `openStore(settings, collections): Promise<Store>`, and its arguments. */
export interface ChildEngine {
  /** A file URL. */
  readonly module: string;
  readonly settings: unknown;
}

export interface Subject {
  readonly engine: Engine;
  readonly store: Store;
  /** Opens another instance with the collections of the suite; closed when the suite ends. */
  another(): Promise<Store>;
}

/** The object under test with the things of two institutions that no other check uses. */
export interface Scene extends Subject {
  readonly institution: string;
  readonly mine: Documents<Thing>;
  readonly theirs: Documents<Thing>;
  /** The things of the institution as another instance sees them. */
  elsewhere(): Promise<Documents<Thing>>;
}

export interface Check {
  readonly rule: string;
  run(subject: Subject): Promise<void>;
  /** Milliseconds; undefined: the runner's. */
  readonly timeoutMs: number | undefined;
}

export interface Thing extends Document {
  readonly name: string;
  readonly rank?: number | null;
  readonly email?: string | null;
  readonly barcode?: string | null;
  readonly active?: boolean | null;
  readonly address?: { readonly city: string | null };
  readonly show?: string | null;
  readonly seat?: string | null;
  readonly state?: string;
  readonly spread?: number;
  readonly count?: number;
  readonly tags?: readonly string[];
}

export const things: Collection<Thing> = collection<Thing>('things', [
  { name: 'by_name', fields: ['name'] },
  { name: 'by_rank', fields: ['rank'] },
  { name: 'by_city', fields: ['address.city'] },
  { name: 'by_state', fields: ['show', 'state', 'spread'] },
  { name: 'email', fields: ['email'], unique: true },
  { name: 'seat', fields: ['show', 'seat'], unique: true },
  { name: 'barcode', fields: ['barcode'], unique: true, acrossInstitutions: true },
]);

/** A second collection: documents of one must not appear in the other. */
export const others: Collection<Thing> = collection<Thing>('others', [{ name: 'by_name', fields: ['name'] }]);

export const suiteCollections: readonly Collection<Document>[] = [things, others];

/** A random id: checks share one engine and run in any order. */
export function createId(prefix = 'id'): string {
  return `${prefix}-${randomUUID()}`;
}

export function createThing(fields: Partial<New<Thing>> = {}): New<Thing> {
  return { id: createId('thing'), name: 'Ada', ...fields };
}

export function getThings(store: Store): CollectionHandle<Thing> {
  return store.collection(things);
}

/** Declares a check with institutions of its own. `timeoutMs`: milliseconds; default: the runner's. */
export function check(rule: string, run: (scene: Scene) => Promise<void>, timeoutMs?: number): Check {
  return {
    rule,
    timeoutMs,
    run: (subject) => {
      const institution = createId('inst');
      const things = getThings(subject.store);
      const elsewhere = async () => getThings(await subject.another()).of(institution);
      return run({
        ...subject,
        institution,
        mine: things.of(institution),
        theirs: things.of(createId('inst')),
        elsewhere,
      });
    },
  };
}

export function requireUniqueViolation(promise: Promise<unknown>, index: string): Promise<void> {
  return assert.rejects(promise, { name: 'UniqueViolation', index });
}

/** Repeats `probe` until it returns true; throws after `ms` milliseconds. */
export async function waitUntil(probe: () => Promise<boolean>, ms = 60_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await probe())) {
    if (Date.now() > deadline) throw new Error(`the condition did not hold within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
