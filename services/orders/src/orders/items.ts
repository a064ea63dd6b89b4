import { Fault } from '@boxoffice/envelope';
import type { Buyer } from '@boxoffice/prices';
import type { Static } from 'typebox';
import { createRefusalFault, listCodes, type RefusedOrder } from '../api/faults.ts';
import type { NewOrder } from '../api/schemas.ts';
import type { Held, HeldLine, RequestedItem } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { toBeneficiary } from '../domain/lines.ts';
import type { Beneficiary, NewLine, TicketDelivery } from '../domain/order/order.ts';
import { composeLine } from './prices.ts';

/** `contactNumber` is a visitor's; the tariff's criterion is checked against it. */
export type OrderItem = Static<typeof NewOrder>['items'][number] & { readonly contactNumber?: string };

export function countPlaces(items: readonly RequestedItem[]): number {
  return items.reduce((sum, { quantity, placeIds }) => sum + (placeIds?.length ?? quantity ?? 1), 0);
}

/** Personal data does not leave for the catalog. */
export function toStockItems(items: readonly OrderItem[]): RequestedItem[] {
  return items.map(({ beneficiaries: _, contactNumber: __, ...item }) => item);
}

/** @throws Fault `validation_error` that lists every item with more beneficiaries than places */
export function requireBeneficiaries(items: readonly OrderItem[]): void {
  const faults = items.flatMap((item, index) => {
    const [named, places] = [item.beneficiaries?.length ?? 0, countPlaces([item])];
    return named > places
      ? [`$.items[${index}].beneficiaries has ${named} entries, but the item has ${places} places`]
      : [];
  });
  if (faults.length > 0) throw new Fault('validation_error', `${faults.join('; ')}.`);
}

/** The catalog's, those of the limits before, and those of the buyer's tariffs. */
export const holdErrors = listCodes(
  'places_unavailable',
  'not_on_sale',
  'hold_limit',
  'tariff_not_sold_here',
  'too_many_places',
  'tariff_not_accessible',
  'tariff_locked',
  'invalid_reference',
);

/** Of the codes of an order. */
export const codeErrors = listCodes('unknown_code', 'code_used_up', 'code_not_applicable');

/** The catalog sells that many in one step. */
const MAX_PLACES_PER_ORDER = 1_000;

export function checkPlaceLimit(places: number): RefusedOrder | undefined {
  return places > MAX_PLACES_PER_ORDER
    ? createRefusalFault('too_many_places', `At most ${MAX_PLACES_PER_ORDER} places can be in one order.`)
    : undefined;
}

export function hasQuantityConflict({ quantity, placeIds }: Pick<RequestedItem, 'quantity' | 'placeIds'>): boolean {
  return placeIds !== undefined && quantity !== undefined && quantity !== placeIds.length;
}

export function findQuantityFaults(items: readonly RequestedItem[]): string[] {
  return items.flatMap((item, index) =>
    hasQuantityConflict(item)
      ? [`$.items[${index}].quantity is ${item.quantity}, but placeIds names ${item.placeIds?.length}`]
      : [],
  );
}

/** @throws Fault `semantically_invalid` where `quantity` and `placeIds` disagree, `order_too_many_places` */
export function requirePlaceCount(items: readonly RequestedItem[], placesInOrder: number): number {
  const odd = findQuantityFaults(items);
  if (odd.length > 0) throw createRefusalFault('invalid_items', `${odd.join('; ')}.`);
  const places = countPlaces(items);
  const refused = checkPlaceLimit(placesInOrder + places);
  if (refused) throw refused;
  return places;
}

export function checkSingleCurrency(currencies: readonly string[]): RefusedOrder | undefined {
  return currencies.length > 1
    ? createRefusalFault(
        'currency_mismatch',
        `$.items are priced in ${currencies.join(' and ')}: an order has one currency.`,
      )
    : undefined;
}

/** At their bases. @throws Fault `semantically_invalid` if the places have several currencies */
export function createHeldLines(
  { newId }: Pick<OrdersContext, 'newId'>,
  { lines: held, heldUntil, book, ticketDelivery }: Held,
  items: readonly OrderItem[],
  buyer: Buyer,
): {
  readonly lines: readonly NewLine[];
  readonly currency: string;
  readonly until: number;
  readonly ticketDelivery: TicketDelivery;
} {
  const beneficiaries = matchBeneficiaries(held, items);
  const lines = held.map(
    (
      { productId, performanceId, startDate, seatCategoryId, tariffId, criterion, amount, place, about, ...terms },
      index,
    ) => ({
      id: newId('lin'),
      productId,
      performanceId,
      startDate,
      seatCategoryId,
      tariffId,
      criterion,
      amount,
      ...composeLine({ amount, ...terms }, book, buyer),
      place: { id: place.id, label: place.label, row: place.row, seat: place.seat },
      ...(about === undefined ? {} : { about }),
      ...(terms.returnPolicy && { returnPolicy: terms.returnPolicy }),
      ...(beneficiaries[index] ? { beneficiary: beneficiaries[index] } : {}),
    }),
  );
  const currencies = [...new Set(held.map(({ currency }) => currency))];
  const refused = checkSingleCurrency(currencies);
  if (refused) throw refused;
  return { lines, currency: currencies[0] ?? '', until: Date.parse(heldUntil), ticketDelivery };
}

/** For each held place, in their order: the named ones, or as they were chosen. */
const matchBeneficiaries = (held: readonly HeldLine[], items: readonly OrderItem[]): (Beneficiary | null)[] => {
  const seen = new Map<number, number>();
  return held.map(({ item, place }) => {
    const { placeIds, beneficiaries = [] } = items[item] ?? {};
    const count = seen.get(item) ?? 0;
    seen.set(item, count + 1);
    return toBeneficiary(beneficiaries[placeIds ? placeIds.indexOf(place.id) : count]);
  });
};

/** Joined with what the catalog refuses about the items, if it answers; nothing is held. */
export async function createInvalidReferenceFault(
  { stock }: Pick<OrdersContext, 'stock'>,
  institution: string,
  { items, pointOfSale }: { readonly items: readonly OrderItem[]; readonly pointOfSale?: string },
  faults: readonly string[],
): Promise<Fault> {
  // Quantities were checked before this call.
  const wanted = toStockItems(items).map(({ quantity: _, ...item }) => item);
  const unknown = await stock.quotes(institution, wanted, pointOfSale ?? null).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      return error.http === 422 ? [error.details] : [];
    },
  );
  return createRefusalFault('invalid_reference', `${[...faults, ...unknown].join('; ')}.`);
}
