import type { PerformanceDocument, PlaceDocument } from '@boxoffice/catalog';
import { type Case, caseOf } from './findings.ts';
import { byOwner, type CheckedCollections, namedBy, pagesOf } from './reading.ts';
import { count, isAbandoned, judgeCapacity, judgePlace, type Tally } from './rules-stock.ts';

/** The places of a performance, page by page in their order. */
const placesOf = ({ places }: CheckedCollections, { id, institution }: PerformanceDocument) =>
  pagesOf(places.of(institution), { where: { performanceId: id }, orderBy: 'order' });

/** Judges places that are not free against the orders that have them; reports how many have an order that does not exist. */
export const judgePlaces = async (
  collections: CheckedCollections,
  found: readonly PlaceDocument[],
  abandoned: (places: number) => void = () => undefined,
): Promise<Case[]> => {
  const taken = found.filter(({ state, holder, freeFrom }) => state !== 'free' || holder !== null || freeFrom !== 0);
  const orders = await namedBy(collections.orders, taken, 'holder');
  const cancelled = [...orders.values()].filter(({ state }) => state === 'cancelled');
  const tickets = await byOwner(collections.tickets, 'orderId', cancelled);
  const now = Date.now();
  abandoned(taken.filter((place) => isAbandoned(place, orders.get(place.holder ?? ''), now)).length);
  return taken.map((place) => {
    const order = orders.get(place.holder ?? '');
    const own = tickets.get(place.holder ?? '') ?? [];
    const read = [...(order ? [order] : []), ...own];
    const concerns = [place.holder ?? '', place.performanceId];
    return caseOf('place', place, judgePlace(place, { order, tickets: own }, now), read, concerns);
  });
};

const capacityCase = (performance: PerformanceDocument, tally: Tally): Case => {
  const judged = caseOf('performance', performance, judgeCapacity(performance, tally));
  return { ...judged, seen: `${judged.seen} ${JSON.stringify([...tally].sort())}` };
};

/** Counts the places of performances and judges each one; reports each page of places, and the abandoned ones of it. */
export async function* judgeStock(
  collections: CheckedCollections,
  found: readonly PerformanceDocument[],
  checked: (places: number, abandoned: number) => void,
): AsyncGenerator<Case[]> {
  for (const performance of found) {
    const tally: Tally = new Map();
    for await (const page of placesOf(collections, performance)) {
      count(tally, page);
      yield await judgePlaces(collections, page, (abandoned) => checked(page.length, abandoned));
    }
    // Read after its places: a change of capacity that has finished by then is not seen as pending.
    const now = await collections.performances.acrossInstitutions.get(performance.id);
    if (now?.version === performance.version) yield [capacityCase(performance, tally)];
    else if (now) yield [await recount(collections, now)];
  }
}

/** Counts the places of one performance, without judging them. */
export const recount = async (collections: CheckedCollections, performance: PerformanceDocument): Promise<Case> => {
  const tally: Tally = new Map();
  for await (const page of placesOf(collections, performance)) count(tally, page);
  return capacityCase(performance, tally);
};
