import { type Message, Unreadable } from '@boxoffice/messaging';
import { documentsOf, eachOf, UniqueViolation } from '@boxoffice/store';
import { type Collections, type Context, timestampOf } from '../context.ts';
import { movedTo, outdated, type Whereabouts } from '../domain/performance.ts';
import type { PerformanceDocument, TicketDocument } from '../store.ts';

/** Tickets changed concurrently: few, so that requests have their turn beside a performance with many tickets. */
const WIDTH = 4;

/** The members of the event that are used here. @throws Unreadable */
const read = ({ data }: Message): Whereabouts & { readonly performanceId: string } => {
  const { performanceId, startDate, timeZone, venue } = data as Partial<ReturnType<typeof read>>;
  const { name, city } = (venue ?? {}) as Partial<Whereabouts['venue']>;
  const time = typeof startDate === 'string' ? Date.parse(startDate) : Number.NaN;
  if (typeof performanceId !== 'string' || Number.isNaN(time) || typeof timeZone !== 'string' || !name)
    throw new Unreadable('performance.moved needs performanceId, startDate, timeZone and venue.name');
  return { performanceId, startDate: new Date(time).toISOString(), timeZone, venue: { name, city: city ?? null } };
};

/** Records where the performance is now, unless a later version of it is known; resolves to what is recorded. */
const record = async (
  { performances }: Collections,
  { performanceId: id, ...to }: ReturnType<typeof read>,
  version: number,
): Promise<PerformanceDocument> => {
  const again = () =>
    performances.update(id, (known) => {
      const next = movedTo(known, to, version);
      return next === known ? undefined : { next };
    });
  const known = await again();
  if (known) return known;
  try {
    return await performances.insert({ id, ...to, asOf: version, movedAsOf: version });
  } catch (error) {
    const other = error instanceof UniqueViolation ? await again() : undefined;
    if (!other) throw error;
    return other;
  }
};

/**
 * A performance moved: every ticket shows its present time and place as soon as that is recorded here; then the printed
 * ones are changed one by one, so that partners hear of each. May be interrupted and repeated.
 */
export const onPerformanceMoved = async (context: Context, message: Message): Promise<void> => {
  const moved = read(message);
  const collections = context.collections(message.institution);
  const now = await record(collections, moved, message.version);
  if (now.asOf > message.version) return;
  const { tickets } = collections;
  const tell = (ticket: TicketDocument) => {
    const next = outdated(ticket, now, timestampOf(context));
    return next === ticket ? undefined : { next };
  };
  const where = { performanceId: moved.performanceId, status: 'printed' };
  await eachOf(documentsOf(tickets, { where, orderBy: 'createdAt' }), WIDTH, ({ id }) => tickets.update(id, tell));
};
