import { type Collection, collection, type Document } from '../../port.ts';

export interface Job extends Document {
  readonly done: number;
  /** How an earlier release marked work. */
  readonly marker?: number | null;
}

export function declareJobs(name: string): Collection<Job> {
  return collection<Job>(name, [{ name: 'marker', fields: ['marker'], acrossInstitutions: true }], {
    work: ['first', 'second'],
  });
}

/** A claim that nobody waits for. Milliseconds. */
export const FAR_MS = 60_000;

export interface WorkTask {
  readonly module: string;
  readonly settings: unknown;
  readonly collection: string;
  readonly institution: string;
  /** The step before which it kills itself, from 0. */
  readonly diesBefore: number;
}
