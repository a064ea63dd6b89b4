import type { Schema } from '@boxoffice/codegen';
import type { Consumed } from '../snapshot.ts';
import type { Finding } from './finding.ts';
import { compareSchemas } from './schemas.ts';

/** The consumers of facts: the last release of every process. */
export interface Consumer {
  readonly name: string;
  readonly consumes: readonly Consumed[];
}

/** A finding about a fact, and the consumer that it breaks. */
export interface FactFinding extends Finding {
  readonly consumers: readonly string[];
}

const lead = (one: string, other: string): boolean =>
  other === one || other.startsWith(`${one}.`) || other.startsWith(`${one}[`);

/** Whether a reader of these members is affected by a change at this path. */
const notices = (reads: readonly string[], path: string): boolean =>
  path === '' || reads.some((read) => lead(read, path) || lead(path, read));

const nowhere = (): never => {
  throw new Error('a fact refers to nothing');
};

interface Published {
  readonly schema: Schema;
}

type Facts = Readonly<Record<string, Published>>;

/**
 * The changes of a process's facts that remove a member which a consumer of the last release reads. An unread member
 * may change.
 */
export const compareFacts = (before: Facts, after: Facts, consumers: readonly Consumer[]): FactFinding[] =>
  Object.entries(before).flatMap(([type, was]) => {
    const readers = consumers.flatMap(({ name, consumes }) =>
      consumes.flatMap(({ queue, reads }) => (reads[type] ? [{ name: `${name} (${queue})`, reads: reads[type] }] : [])),
    );
    const findings = (path: string, what: string): FactFinding[] => {
      const hurt = readers.filter(({ reads }) => notices(reads, path));
      return hurt.length > 0 ? [{ where: `fact ${type}`, what, consumers: hurt.map(({ name }) => name) }] : [];
    };
    const is = after[type];
    if (!is) return findings('', 'is no longer published');
    const sides = [
      { schema: was.schema, resolve: nowhere },
      { schema: is.schema, resolve: nowhere },
    ] as const;
    return compareSchemas(...sides, 'answer').flatMap(({ path, what }) =>
      findings(path.replace(/^\$\.?/, ''), `${path} ${what}`),
    );
  });

/**
 * Queues and facts in them that the last release consumes and the current one does not: their messages would stay
 * unread.
 */
export const compareQueues = (
  before: readonly Consumed[],
  after: readonly { readonly queue: string; readonly types: readonly string[] }[],
): Finding[] =>
  before.flatMap(({ queue, reads }) => {
    const now = after.find((one) => one.queue === queue);
    if (!now) return [{ where: `queue ${queue}`, what: 'is no longer served: its messages stay unread' }];
    return Object.keys(reads)
      .filter((type) => !now.types.includes(type))
      .map((type) => ({ where: `queue ${queue}`, what: `gets ${type} no more` }));
  });
