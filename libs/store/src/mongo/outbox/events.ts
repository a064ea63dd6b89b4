import { randomBytes } from 'node:crypto';
import type { Fact, OutboxEvent } from '../../port.ts';
import type { StoredEvent } from '../records/record.ts';

/** What surrounds the engine. */
export interface Surroundings {
  /** The traceparent of the request under way, for the events that it causes. */
  readonly trace?: (() => string | undefined) | undefined;
  readonly logger?: { error(message: string, fields?: Record<string, unknown>): void } | undefined;
}

/** A fact as it was when it was handed over. */
export interface FrozenFact {
  readonly type: string;
  readonly key?: string | undefined;
  readonly data: string;
}

/** A fact as text, so that what the caller does to it afterwards changes nothing. */
export const freeze = (facts: readonly Fact[] = []): FrozenFact[] =>
  facts.map(({ type, key, data }) => ({ type, key, data: JSON.stringify(data) }));

/** Where an event waits. */
export interface Home {
  readonly collection: string;
  readonly document: string;
}

/** The id of an event tells where it waits: no index is needed to take it out again. */
const eventId = ({ collection, document }: Home) => `${randomBytes(9).toString('base64url')}.${collection}.${document}`;

/** Where the event of an id waits, or undefined if it is no id of this engine. */
export const homeOf = (id: string): Home | undefined => {
  const [, collection, document] = /^[\w-]{12}\.([a-z_]+)\.(.+)$/s.exec(id) ?? [];
  return collection === undefined || document === undefined ? undefined : { collection, document };
};

/** The facts of a write as events of the document's version. */
export const eventsOf = (
  facts: readonly FrozenFact[],
  home: Home,
  version: number,
  traceparent: string | undefined,
): StoredEvent[] => {
  const at = Date.now();
  return facts.map(({ type, key, data }) => ({
    id: eventId(home),
    type,
    key: key ?? home.document,
    version,
    at,
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  }));
};

/** The event as the relay publishes it. */
export const published = ({ at, data, ...event }: StoredEvent, institution: string): OutboxEvent => ({
  ...event,
  institution,
  occurredAt: new Date(at).toISOString(),
  data: JSON.parse(data) as object,
});
