import { randomBytes } from 'node:crypto';
import type { Fact, OutboxEvent } from '../../port.ts';
import type { StoredEvent } from '../records/record.ts';

/** A fact as it was when it was passed in. */
export interface FrozenFact {
  readonly type: string;
  readonly key?: string | undefined;
  readonly data: string;
}

/** Serialises a fact, so that later changes by the caller have no effect. */
export const freeze = (facts: readonly Fact[] = []): FrozenFact[] =>
  facts.map(({ type, key, data }) => ({ type, key, data: JSON.stringify(data) }));

/** The location of a pending event. */
export interface Home {
  readonly collection: string;
  readonly document: string;
}

/** An event's id encodes its location: removing it needs no index. */
const eventId = ({ collection, document }: Home) => `${randomBytes(9).toString('base64url')}.${collection}.${document}`;

/** The location encoded in an event's id, or undefined if this engine did not make the id. */
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
