import assert from 'node:assert/strict';
import fc from 'fast-check';
import { UniqueViolation } from '../engines.ts';
import type { Document, Documents, New, Store } from '../port.ts';
import { type Check, check, createId, getThings, type Thing } from './subject.ts';

// Random operations of two institutions, run against the engine and against this model of the port.

interface Operation {
  readonly kind: 'insert' | 'update' | 'delete' | 'claim' | 'get' | 'find' | 'page' | 'insertMany';
  readonly who: number;
  readonly id: number;
  readonly rank: number | null;
  readonly email: string | null;
  readonly state: string;
  readonly descending: boolean;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'update', 'update', 'delete', 'claim', 'get', 'find', 'page', 'insertMany'),
  who: fc.nat({ max: 1 }),
  id: fc.nat({ max: 7 }),
  rank: fc.option(fc.integer({ min: 0, max: 3 })),
  email: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 2 }),
  state: fc.constantFrom('free', 'held'),
  descending: fc.boolean(),
});

type Row = Thing & Document;
const before = (a: Row, b: Row) => (a.rank ?? -1) - (b.rank ?? -1) || (a.id < b.id ? -1 : Number(a.id > b.id));

/** The port over a plain map, for one operation at a time. */
const createModel = (institutions: readonly string[]) => {
  const rows = new Map<string, Row>();
  const own = (who: number) => [...rows.values()].filter((one) => one.institution === institutions[who]).sort(before);
  const collides = (who: number, one: New<Thing>) =>
    one.email !== null && own(who).some((other) => other.email === one.email && other.id !== one.id);
  const write = (who: number, next: New<Thing>, version: number) => {
    const row = { ...next, version, institution: institutions[who] ?? '' } as Row;
    rows.set(row.id, row);
    return row;
  };
  return { rows, own, collides, write };
};

const apply = (model: ReturnType<typeof createModel>, step: Operation, id: string): unknown => {
  const { who, rank, email, state, descending } = step;
  const current = model.own(who).find((one) => one.id === id);
  const next = { id, name: 'n', rank, email, state };
  if (step.kind === 'insert') {
    // Where both the id and the address are taken, an engine may name either.
    return model.rows.has(id) || model.collides(who, next) ? 'taken' : model.write(who, next, 1);
  }
  if (step.kind === 'insertMany') {
    if (model.rows.has(id)) return 0;
    model.write(who, { ...next, email: null }, 1);
    return 1;
  }
  if (step.kind === 'update') {
    if (!current) return undefined;
    return model.collides(who, next) ? 'taken' : model.write(who, next, current.version + 1);
  }
  if (step.kind === 'delete') {
    if (current) model.rows.delete(id);
    return current !== undefined;
  }
  if (step.kind === 'get') return current;
  if (step.kind === 'claim') {
    const matching = model.own(who).filter((one) => one.rank === rank && one.state === 'free');
    return matching.map((one) => model.write(who, { ...one, state: 'held' }, one.version + 1));
  }
  const ordered = descending ? model.own(who).reverse() : model.own(who);
  if (step.kind === 'find') return ordered.filter((one) => one.state === state);
  const cursor = { id, rank } as Row;
  return ordered.filter((one) => (descending ? before(cursor, one) > 0 : before(cursor, one) < 0)).slice(0, 3);
};

const perform = async (mine: Documents<Thing>, step: Operation, id: string): Promise<unknown> => {
  const { rank, email, state, descending } = step;
  const next = { id, name: 'n', rank, email, state };
  if (step.kind === 'insert') return mine.insert(next);
  if (step.kind === 'insertMany') return mine.insertMany([{ ...next, email: null }]);
  if (step.kind === 'update') return mine.update(id, () => ({ next }));
  if (step.kind === 'delete') return mine.delete(id);
  if (step.kind === 'get') return mine.get(id);
  if (step.kind === 'claim') {
    const claimed = await mine.claim({ where: { rank, state: 'free' }, set: { state: 'held' } });
    return (claimed as Row[]).sort(before);
  }
  if (step.kind === 'find') return mine.find({ where: { state }, orderBy: 'rank', descending });
  return mine.find({ orderBy: 'rank', descending, after: { value: rank, id }, limit: 3 });
};

/** Runs random histories against the store and the model; throws with the shortest history on which they differ. */
const agreesWithTheModel = async (store: Store, runs: number): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60 }), async (steps) => {
      const institutions = [createId('inst'), createId('inst')];
      const run = createId();
      const model = createModel(institutions);
      for (const [i, step] of steps.entries()) {
        const id = `${run}-${step.id}`;
        const mine = getThings(store).of(institutions[step.who] ?? '');
        const actual = await perform(mine, step, id).catch((error: unknown) => {
          if (error instanceof UniqueViolation) return 'taken';
          throw error;
        });
        assert.deepEqual(actual, apply(model, step, id), `step ${i}: ${JSON.stringify(step)}`);
      }
    }),
    { numRuns: runs, endOnFailure: false },
  );
};

export const model: readonly Check[] = [
  check(
    'random histories of two institutions have the results of a model of the port',
    ({ store }) => agreesWithTheModel(store, 60),
    300_000,
  ),
];
