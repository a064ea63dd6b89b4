import { type EventDocument, findLastPositions } from '@boxoffice/events';
import type { Announced } from '@boxoffice/service';
import { type Case, createCase, type Finding, type Kind } from './findings.ts';
import { type CheckedCollections, findById, readPages } from './reading.ts';

const WIDTH = 100;

/** Judges documents by their last announcement: its event was recorded. */
export async function judgeAnnouncements(
  collections: CheckedCollections,
  kind: Kind,
  found: readonly Announced[],
): Promise<Case[]> {
  const recorded = await recordedOf(
    collections,
    found.filter(({ lastAnnouncement }) => lastAnnouncement),
  );
  const lacks = ({ id, lastAnnouncement: last }: Announced) => last && (recorded.get(id) ?? 0) < last.position;
  const lacking = new Set(found.filter(lacks).map(({ institution }) => institution));
  const soon = await resumedSoon(collections, lacking, recorded);
  return found.map((document) => {
    const { id, lastAnnouncement: last } = document;
    const text = `the change ${last?.type} of ${id} has no event; the last one has the position ${recorded.get(id) ?? 0}, not ${last?.position}`;
    const finding: Finding = { invariant: 'event', offenders: [id], text, underWay: soon.has(id) };
    return createCase(kind, document, lacks(document) ? [finding] : []);
  });
}

/** The last recorded position of each document that has any, by its id. */
const recordedOf = async (
  { events, retired }: CheckedCollections,
  found: readonly Announced[],
): Promise<Map<string, number>> => {
  const recorded = new Map<string, number>();
  for (const institution of new Set(found.map((one) => one.institution))) {
    const ids = found.filter((one) => one.institution === institution).map(({ id }) => id);
    const own = { events: events.of(institution), retired: retired.of(institution) };
    for (let start = 0; start < ids.length; start += WIDTH) {
      const some = ids.slice(start, start + WIDTH);
      const last = await findLastPositions(own, institution, some);
      for (const [id, position] of last) recorded.set(id, position);
    }
  }
  return recorded;
};

/** The resources of which a fact is put aside whose predecessor has been recorded: the events service takes it soon. */
const resumedSoon = async (
  { waiting }: CheckedCollections,
  institutions: ReadonlySet<string>,
  recorded: ReadonlyMap<string, number>,
): Promise<Set<string>> => {
  const found = await Promise.all([...institutions].map((one) => waiting.of(one).find()));
  const due = found.flat().filter(({ event, before }) => (recorded.get(event.resource.id) ?? 0) >= before);
  return new Set(due.map(({ event }) => event.resource.id));
};

/** Resources whose last position is remembered during the walk. */
const MOST = 100_000;

export async function* judgeEvents(
  { events }: CheckedCollections,
  institution: string,
  counted: (count: number) => void,
): AsyncGenerator<Case[]> {
  const positions = new Map<string, number>();
  let previous: EventDocument | undefined;
  for await (const page of readPages(events.of(institution), { orderBy: 'sequence' })) {
    counted(page.length);
    const cases: Case[] = [];
    for (const event of page) {
      // The removal of expired events leaves gaps before the oldest one that is kept.
      const findings = faultsOf(event, previous, positions);
      if (findings.length > 0) cases.push(createCase('event', event, findings));
      positions.set(event.resource.id, event.position);
      const [oldest] = positions.size > MOST ? positions.keys() : [];
      if (oldest !== undefined) positions.delete(oldest);
      previous = event;
    }
    yield cases;
  }
}

const faultsOf = (event: EventDocument, previous: EventDocument | undefined, earlier: ReadonlyMap<string, number>) => {
  const findings: Finding[] = [];
  const { id, sequence, position, resource, institution } = event;
  if (previous && sequence !== previous.sequence + 1) {
    const text = `the event ${id} of ${institution} has the sequence ${sequence}, after ${previous.sequence}`;
    findings.push({ invariant: 'event_sequence', offenders: [id], text });
  }
  const before = earlier.get(resource.id);
  if (before !== undefined && before >= position) {
    const text = `the event ${id} of ${resource.id} has the position ${position}, after ${before}`;
    findings.push({ invariant: 'event_sequence', offenders: [id], text });
  }
  return findings;
};

/** Judges events again, each with the one before it. */
export async function judgeEventsAgain({ events }: CheckedCollections, ids: readonly string[]): Promise<Case[]> {
  const found = await findById(events, ids);
  return Promise.all(
    [...found.values()].map(async (event) => {
      const mine = events.of(event.institution);
      const { sequence, resource } = event;
      const [previous] = await mine.find({
        where: { sequence: { lt: sequence } },
        orderBy: 'sequence',
        descending: true,
        limit: 1,
      });
      const where = { 'resource.id': resource.id, sequence: { lt: sequence } };
      const [earlier] = await mine.find({ where, orderBy: 'sequence', descending: true, limit: 1 });
      const findings = faultsOf(event, previous, new Map(earlier ? [[resource.id, earlier.position]] : []));
      return createCase('event', event, findings);
    }),
  );
}
