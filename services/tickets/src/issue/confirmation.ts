import { toBeneficiary } from '../domain/beneficiary.ts';
import type { OrderedTicket } from '../domain/order.ts';
import { type Beneficiary, type Creator, manyEntries } from '../domain/ticket.ts';

/** The message of another service may have further members. */
type OrderedTicketInput = Omit<OrderedTicket, 'beneficiary'> & {
  readonly beneficiary?: Partial<Beneficiary> | null;
};

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

/** Undefined if the message names nobody. */
export function parseCreator(given: unknown): Creator | undefined {
  if (!isObject(given)) return undefined;
  const { clientId, userId, pointOfSale } = given;
  if (typeof clientId === 'string') return { clientId, ...(typeof userId === 'string' ? { userId } : {}) };
  return typeof pointOfSale === 'string' ? { pointOfSale } : undefined;
}

/** Unknown members are left out. */
export function toOrderedTicket({
  place,
  price,
  beneficiary,
  productId,
  startDate,
  beneficiaryAsOf,
  about,
  ...given
}: OrderedTicketInput): OrderedTicket {
  return {
    ticketId: given.ticketId,
    lineId: given.lineId,
    performanceId: given.performanceId,
    seatCategoryId: given.seatCategoryId,
    tariffId: given.tariffId,
    place: { id: place.id, label: place.label, row: place.row ?? null, seat: place.seat ?? null },
    price: { amount: price.amount, currency: price.currency },
    productId: typeof productId === 'string' ? productId : null,
    startDate: instant(startDate),
    beneficiary: isObject(beneficiary) ? toBeneficiary(beneficiary) : null,
    ...describedBy(about),
    ...(typeof beneficiaryAsOf === 'number' ? { beneficiaryAsOf } : {}),
  };
}

/** Null if invalid: the member is only displayed, so it does not prevent the issue. */
const instant = (value: unknown): string | null => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};

/** An incomplete description is left out: it is only displayed. */
const describedBy = (about: unknown): Pick<OrderedTicket, 'about'> => {
  if (!isObject(about) || !isObject(about.venue)) return {};
  const [product, seatCategory, tariff] = [texts(about.product), texts(about.seatCategory), texts(about.tariff)];
  const { venue, timeZone } = about;
  if (!product || !seatCategory || typeof venue.name !== 'string' || typeof timeZone !== 'string') return {};
  const city = typeof venue.city === 'string' ? venue.city : null;
  const institution = typeof about.institution === 'string' ? { institution: about.institution } : {};
  const until = instant(about.validUntil);
  const entries = manyEntries.find((known) => known === about.entries);
  const more = {
    ...(typeof about.productType === 'string' ? { productType: about.productType } : {}),
    ...(until === null ? {} : { validUntil: until }),
    ...(entries === undefined ? {} : { entries }),
  };
  const shown = { ...institution, product, seatCategory, ...(tariff && { tariff }) };
  return { about: { ...shown, venue: { name: venue.name, city }, timeZone, ...more } };
};

const texts = (value: unknown): Readonly<Record<string, string>> | undefined =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string')
    ? (value as Readonly<Record<string, string>>)
    : undefined;
