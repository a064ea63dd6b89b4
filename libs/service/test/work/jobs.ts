import { randomUUID } from 'node:crypto';
import { type Collection, collection, type Document, type Store } from '@boxoffice/store';
import { startWork, type WorkOptions, type WorkRunner, type WorkTable } from '../../src/index.ts';

/** A document whose work is to write the number of its effects, once. */
export interface Job extends Document {
  readonly effects: number;
}

export const jobs: Collection<Job> = collection<Job>('jobs', [], { work: ['first', 'second'] });

/** Longer than any test: then only what the test does leads to a look. */
const NEVER_MS = 3_600_000;

/** A runner that looks when it is woken, and every hour. */
export function open(
  store: Store,
  kinds: WorkTable<Store>['jobs'],
  more: Partial<WorkOptions<Store>> = {},
): WorkRunner {
  const work = { jobs: { first: async () => 'done' as const, second: async () => 'done' as const, ...kinds } };
  return startWork({
    store,
    collections: [jobs],
    work,
    state: store,
    logger: { warn: () => undefined },
    watchMs: NEVER_MS,
    random: () => 0.5,
    ...more,
  });
}

export function createId(): string {
  return `job-${randomUUID()}`;
}

export function getJobs(store: Store, institution = 'opera') {
  return store.collection(jobs).of(institution);
}

/** Adds a job with its first work due now, or at another instant. */
export function addJob(store: Store, { institution = 'opera', at = Date.now() } = {}): Promise<Job> {
  return getJobs(store, institution).insert({ id: createId(), effects: 0 }, { due: { first: at } });
}

/** The effect, which has a condition, and the end of the work in the same write. */
export async function effect(store: Store, { id, institution }: Document): Promise<'done'> {
  await getJobs(store, institution).update(id, (current) =>
    current.effects === 0 ? { next: { ...current, effects: 1 } } : undefined,
  );
  return 'done';
}
