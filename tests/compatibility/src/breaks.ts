import { broadcasts, topology } from '@boxoffice/messaging';
import { callersOf } from './callers.ts';
import { compareDescriptions } from './compare/descriptions.ts';
import { type Consumer, compareFacts, compareQueues } from './compare/facts.ts';
import type { Finding } from './compare/finding.ts';
import { compareFormats, type Partner } from './compare/formats.ts';
import { compareIndexes } from './compare/indexes.ts';
import type { Process } from './processes.ts';
import type { Snapshot } from './snapshot.ts';

/** A breaking change. */
export interface Break extends Finding {
  /** The process that changed. */
  readonly process: string;
  /** The callers, consumers or instances that it breaks. */
  readonly hurts: readonly string[];
}

/** The current state of a process, as far as it is compared. */
export type Now = Pick<
  Process,
  'name' | 'callers' | 'openapi' | 'internal' | 'publishes' | 'collections' | 'formats'
> & {
  readonly consumes: readonly { readonly queue: string; readonly types: readonly string[] }[];
};

/** The receivers of broadcasts. */
export const BROADCAST = 'broadcast';

/** The current process with the facts that it consumes. */
export const nowOf = (process: Process): Now => {
  const queues = Object.values(topology).filter(({ name }) => process.queues.includes(name));
  const ofQueues = queues.map(({ name, types }) => ({ queue: name, types }));
  const all = process.name === 'gateway' ? [{ queue: BROADCAST, types: broadcasts.access.types }] : [];
  return { ...process, consumes: [...ofQueues, ...all] };
};

/** The last releases, as the comparison needs them. */
export interface Others {
  readonly consumers: readonly Consumer[];
  /** The last release of every process. */
  readonly partners: readonly Partner[];
}

/**
 * Every change since the last release that breaks a partner, a consumer, a caller, or instances of the last release
 * beside this one.
 */
export const breaksOf = (now: Now, released: Snapshot, { consumers, partners }: Others): Break[] => {
  const { name } = now;
  const beside = [`${name} ${released.events.version} on the same data`];
  const named = (found: readonly Finding[], hurts: readonly string[]): Break[] =>
    found.map(({ where, what }) => ({ where, what, process: name, hurts }));
  const internal = compareDescriptions(released.internal, now.internal()).flatMap((found) => {
    const callers = callersOf(name, found.operation);
    // An operation without callers breaks none.
    return callers.length > 0 ? named([found], callers) : [];
  });
  const facts = compareFacts(released.events.publishes, now.publishes, consumers);
  return [
    ...named(compareDescriptions(released.openapi, now.openapi()), [now.callers]),
    ...internal,
    ...facts.flatMap((found) => named([found], found.consumers)),
    ...compareFormats(released.formats, now.formats, partners).flatMap((found) => named([found], found.hurts)),
    ...named(compareQueues(released.events.consumes, now.consumes), beside),
    ...named(
      compareIndexes(released.documents.collections, Object.fromEntries(now.collections.map((one) => [one.name, one]))),
      beside,
    ),
  ];
};

/** A break in one line. */
export const lineOf = ({ process, where, what, hurts }: Break): string =>
  `${process}: ${where}: ${what}\n  breaks ${hurts.join(', ')}`;
