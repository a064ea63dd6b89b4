import {
  type CodeDocument,
  detectMovedLocalTime,
  type PerformanceDocument,
  type PlaceDocument,
  type RuleDocument,
} from '@boxoffice/catalog';
import { listStock, type OrderDocument, unpaidStates } from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';
import { isChanging, listUnlinedStock } from './changes.ts';
import { type Case, createCase, type Finding, type Kind } from './findings.ts';
import { type CheckedCollections, findByOwner, findReferencedDocuments, readPages } from './reading.ts';

/** The tolerated difference between processes' clocks, in milliseconds. */
export const CLOCKS_MS = 5_000;

/** The places in use of each seat category; withdrawn places are no part of the capacity. */
type Tally = Map<string, number>;

/** Whether something follows from the order's state that a request or the sweep is still to do. */
export function isUnderWay({ saleDue, removedPlaces }: Pick<OrderDocument, 'saleDue' | 'removedPlaces'>): boolean {
  return saleDue != null || removedPlaces != null;
}

/** The evidence on a place's holder. `order`: undefined if it does not exist; `tickets`: if it has used ones without lines. */
interface Holding {
  readonly order: OrderDocument | undefined;
  readonly tickets: readonly TicketDocument[];
}

/** The longest hold of a new order that a point of sale can have. */
const LONGEST_HOLD_MS = 1_440 * 60_000;

/** Reports how many have an order that does not exist. */
export async function judgePlaces(
  collections: CheckedCollections,
  found: readonly PlaceDocument[],
  abandoned: (places: number) => void = () => undefined,
): Promise<Case[]> {
  const taken = found.filter(({ state, holder, freeFrom }) => state !== 'free' || holder !== null || freeFrom !== 0);
  const orders = await findReferencedDocuments(collections.orders, taken, 'holder');
  const ended = [...orders.values()].filter(({ state, formerLines }) => state === 'cancelled' || formerLines);
  const tickets = await findByOwner(collections.tickets, 'orderId', ended);
  const now = Date.now();
  abandoned(taken.filter((place) => isAbandoned(place, orders.get(place.holder ?? ''), now)).length);
  return taken.map((place) => {
    const order = orders.get(place.holder ?? '');
    const own = tickets.get(place.holder ?? '') ?? [];
    const read = [...(order ? [order] : []), ...own];
    const concerns = [place.holder ?? '', place.performanceId];
    return createCase('place', place, judgePlace(place, { order, tickets: own }, now), read, concerns);
  });
}

/** Whether a place is held for an order that does not exist: its creation is under way, or its process died. */
const isAbandoned = ({ state, holder, freeFrom }: PlaceDocument, order: unknown, now: number): boolean =>
  order === undefined && state === 'held' && freeFrom > now && !byChange(holder ?? '');

/** A change of capacity claims the places that it withdraws. */
const byChange = (holder: string): boolean => holder.startsWith('capacity:');

const judgePlace = (place: PlaceDocument, holding: Holding, now: number): Finding[] => {
  const { id, state, holder, institution } = place;
  const faults = stateFaults(place);
  if (holder === null || byChange(holder) || (state !== 'held' && state !== 'sold')) return faults;
  const { order } = holding;
  const why = state === 'sold' ? soldFaults(place, holding) : heldFaults(place, holding, now);
  const stranger = order && order.institution !== institution ? 'which is another institution’s' : undefined;
  const said = stranger ?? why;
  if (said === undefined) return faults;
  const underWay = order !== undefined && (isUnderWay(order) || isChanging(order));
  return [
    ...faults,
    {
      invariant: 'place_owner',
      offenders: [id, holder],
      text: `place ${id} is ${state} to ${holder}, ${said}`,
      underWay,
    },
  ];
};

const stateFaults = ({ id, state, holder, freeFrom }: PlaceDocument): Finding[] => {
  const fits =
    (state === 'free' && holder === null && freeFrom === 0) ||
    ((state === 'held' || state === 'sold') && holder !== null && freeFrom > 0) ||
    state === 'withdrawn';
  if (fits) return [];
  const text = `place ${id} is ${state}, holder ${holder ?? 'none'}, free from ${freeFrom}`;
  return [{ invariant: 'place_state', offenders: [id], text }];
};

const soldFaults = (place: PlaceDocument, holding: Holding): string | undefined => {
  const { order } = holding;
  if (order === undefined) return 'which does not exist';
  if (order.state === 'confirmed') {
    const stock = [...listStock(order.lines), ...listUnlinedStock(order, holding.tickets)];
    return stock.includes(place.id) ? undefined : 'which has no line for it';
  }
  // The process died before it confirmed the order: the request's repeat, or the order's end, puts it right.
  if (unpaidStates.includes(order.state)) return undefined;
  return isRetained(place, holding) ? undefined : `which is ${order.state}`;
};

/** Whether an ended order retains the place, because its ticket was used before. */
const isRetained = (place: PlaceDocument, { order, tickets }: Holding): boolean =>
  order?.state === 'cancelled' &&
  tickets.some(({ status, place: of }) => status === 'controlled' && of.id === place.id);

/** That no line names it is no fault: the process died before its write, or two runs of a request held too much. */
const heldFaults = (place: PlaceDocument, { order }: Holding, now: number): string | undefined => {
  if (order === undefined)
    return place.freeFrom > now + LONGEST_HOLD_MS + CLOCKS_MS ? 'which does not exist' : undefined;
  if (place.freeFrom <= now + CLOCKS_MS) return undefined;
  const isEnded = order.state === 'expired' || order.state === 'cancelled';
  return isEnded && listStock(order.lines).includes(place.id) ? `which is ${order.state}` : undefined;
};

/** What has places in stock: a performance, or a discount or code with a limit, whose uses are places. */
export interface Stock extends Pick<PerformanceDocument, 'id' | 'institution' | 'version'> {
  readonly kind: Kind;
  readonly categories: readonly { readonly id: string; readonly capacity: number }[];
  /** A change of capacity is applied to its places a little later. */
  readonly isChanging: boolean;
  readonly findings: readonly Finding[];
}

export function toPerformanceStock(performance: PerformanceDocument): Stock {
  const { id, institution, version, seatCategories: categories, capacityClaim } = performance;
  const isChanging = capacityClaim != null;
  return {
    ...{ kind: 'performance', id, institution, version, categories, isChanging },
    findings: judgeLocalTime(performance),
  };
}

/** Without a limit its uses stay as they are. */
export function toRuleStock({ id, institution, version, rule, pool, limitClaim }: RuleDocument): Stock | undefined {
  const limit = (rule.kind === 'discount' && rule.limits?.uses) || null;
  if (!pool && limit === null) return undefined;
  const capacity = limit ?? pool?.capacity ?? 0;
  const categories = [{ id, capacity }];
  return { kind: 'price_rule', id, institution, version, categories, isChanging: limitClaim != null, findings: [] };
}

/** Of a batch that is being made, or was never completed, some may be missing. */
export function toCodeStock({ id, institution, version, maxUses, createdAt }: CodeDocument): Stock | undefined {
  if (maxUses === null) return undefined;
  const categories = [{ id, capacity: maxUses }];
  return { kind: 'discount_code', id, institution, version, categories, isChanging: createdAt === null, findings: [] };
}

/** Counts the places of each and judges each one; reports each page of places, and the abandoned ones of it. */
export async function* judgeStock(
  collections: CheckedCollections,
  found: readonly Stock[],
  readAgain: (id: string) => Promise<Stock | undefined>,
  checked: (places: number, abandoned: number) => void,
): AsyncGenerator<Case[]> {
  for (const stock of found) {
    const tally: Tally = new Map();
    for await (const page of placesOf(collections, stock)) {
      count(tally, page);
      yield await judgePlaces(collections, page, (abandoned) => checked(page.length, abandoned));
    }
    // Read after its places: a change of capacity that has finished by then is not seen as pending.
    const now = await readAgain(stock.id);
    if (now?.version === stock.version) yield [capacityCase(stock, tally)];
    else if (now) yield [await recount(collections, now)];
  }
}

const placesOf = ({ places }: CheckedCollections, { id, institution }: Stock) =>
  readPages(places.of(institution), { where: { performanceId: id }, orderBy: 'order' });

const count = (tally: Tally, places: readonly PlaceDocument[]): void => {
  for (const { seatCategoryId, state } of places) {
    if (state !== 'withdrawn') tally.set(seatCategoryId, (tally.get(seatCategoryId) ?? 0) + 1);
  }
};

const capacityCase = (stock: Stock, tally: Tally): Case => {
  const judged = createCase(stock.kind, stock, [...judgeCapacity(stock, tally), ...stock.findings]);
  return { ...judged, seen: `${judged.seen} ${JSON.stringify([...tally].sort())}` };
};

/** free + held + sold = capacity. */
const judgeCapacity = ({ id, categories, isChanging: underWay }: Stock, tally: Tally): Finding[] => {
  const known = new Set(categories.map((category) => category.id));
  const wrong = categories.flatMap((category): Finding[] => {
    const counted = tally.get(category.id) ?? 0;
    if (counted === category.capacity) return [];
    const text = `${category.id === id ? 'the pool' : `seat category ${category.id}`} of ${id} has ${counted} places and the capacity ${category.capacity}`;
    return [{ invariant: 'capacity', offenders: [id, category.id], text, underWay }];
  });
  const strange = [...tally.keys()].filter((category) => !known.has(category));
  return [
    ...wrong,
    ...strange.map((category): Finding => {
      const text = `places of ${id} are in ${category}, which is none of its seat categories`;
      return { invariant: 'capacity', offenders: [id, category], text, underWay };
    }),
  ];
};

/** A later release of the time zone database may have another local time for the same instant. */
const judgeLocalTime = (performance: PerformanceDocument): Finding[] => {
  const moved = detectMovedLocalTime(performance);
  if (moved === undefined || Date.parse(moved.startDate) <= Date.now()) return [];
  const { performance: id, meant, meantBy, shown } = moved;
  const text = `${id} starts at ${shown} and was meant to at ${meant} (time zones of ${meantBy})`;
  return [{ invariant: 'local_time', offenders: [id], text }];
};

/** Counts its places, without judging them. */
export async function recount(collections: CheckedCollections, stock: Stock): Promise<Case> {
  const tally: Tally = new Map();
  for await (const page of placesOf(collections, stock)) count(tally, page);
  return capacityCase(stock, tally);
}
