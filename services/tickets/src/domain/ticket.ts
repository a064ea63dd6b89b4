/** `invalidated`: replaced by another. `invalidated` and `cancelled` are final. */
export const statuses = ['not_printed', 'printed', 'controlled', 'invalidated', 'cancelled'] as const;
export type Status = (typeof statuses)[number];

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

type Texts = Readonly<Record<string, string>>;

/** In the currency's minor unit. What makes the amount is absent where it is not known: then it is the base, untaxed. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
  readonly base?: number;
  /** Discounts are negative. */
  readonly components?: readonly { readonly name: Texts; readonly amount: number }[];
  /** The rate is null of what has no tax. */
  readonly taxes?: readonly {
    readonly rate: string | null;
    readonly net: number;
    readonly tax: number;
    readonly gross: number;
  }[];
}

/** A ticket admits once on each local day of the venue, or always. */
export const manyEntries = ['daily', 'unlimited'] as const;
export type Entries = (typeof manyEntries)[number];

/** Describes the place as of the sale. Texts are by language (BCP 47). */
export interface SaleDescription {
  readonly institution?: string;
  /** Who sold it, as the head of its receipt names it; absent: none. */
  readonly seller?: { readonly name: string; readonly address: string | null; readonly taxNumber: string | null };
  readonly product: Texts;
  readonly seatCategory: Texts;
  readonly tariff?: Texts;
  readonly venue: { readonly name: string; readonly city: string | null };
  /** IANA name. */
  readonly timeZone: string;
  /** The type of the catalog's product; absent in what earlier releases sold. */
  readonly productType?: string;
  /** ISO 8601 UTC; absent: not known, or a show. */
  readonly validUntil?: string;
  /** Absent: the ticket admits once. */
  readonly entries?: Entries;
}

export interface Beneficiary {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** A client, with the user who was signed in at it, or a shopper of a point of sale. */
export type Creator = { readonly clientId: string; readonly userId?: string } | { readonly pointOfSale: string };

/** It is stored with the replaced ticket, so that any process can write the new one. */
interface Successor {
  readonly barcode: string;
  readonly beneficiary: Beneficiary | null;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** The institution gave it; no answer shows it. */
  readonly reason?: string;
}

/** It is written with the ticket, so that any process can record the scan and repeat its answer. */
export interface Admission {
  readonly scanId: string;
  /** The scanner chose it; null for a single control. */
  readonly nonce: string | null;
  /** ISO 8601 UTC, like `receivedAt`. */
  readonly at: string;
  readonly gate: string | null;
  readonly offline: boolean;
  readonly receivedAt: string;
  /** An offline scan that arrived later had happened earlier: it is the control. */
  readonly displaced?: true;
  readonly reverted?: true;
}

export interface SearchTerms {
  /** This term alone is compared as a whole. */
  readonly order: string;
  readonly place: string;
  /** Names in both orders; null without any. */
  readonly name: string | null;
  readonly lastName: string | null;
}

export interface Ticket {
  readonly id: string;
  readonly status: Status;
  readonly orderId: string;
  /** For people; absent in tickets of earlier releases. */
  readonly orderNumber?: string;
  readonly lineId: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly place: Place;
  readonly price: Price;
  readonly productId?: string | null;
  readonly startDate?: string | null;
  readonly about?: SaleDescription;
  readonly beneficiary: Beneficiary | null;
  /** True once set, by the order or later, or erased: names of the order are not applied afterwards. */
  readonly named?: boolean;
  /** The last erasure with their contact; ISO 8601 UTC. */
  readonly namesErasedAt?: string;
  /** The last change at the order that the ticket has followed; absent: none. */
  readonly namedAsOf?: number;
  readonly barcode: string;
  readonly printedAt: string | null;
  readonly controlledAt: string | null;
  readonly gate: string | null;
  /** The newest admissions, the last one last; a reverted control stays. Absent: none. */
  readonly admissions?: readonly Admission[];
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** Named as of this version of the order. */
  readonly contactNumber: string | null;
  readonly contactAsOf: number;
  /** Service host; null without one, absent until the order names it. */
  readonly pointOfSale?: string | null;
  /** Absent until the order names it: then it belongs to no client with bounds. */
  readonly createdBy?: Creator;
  /** The last move that it was changed for when it was printed; absent: none. */
  readonly movedAsOf?: number;
  /** True if another contact was the buyer before. */
  readonly contactChanged?: boolean;
  /** Only an invalidated ticket has one. */
  readonly successor?: Successor;
  /** Its order was cancelled, or its line left the order, after the control: it stays controlled for good. */
  readonly kept?: boolean;
  /** The change by which its line left the order; absent: it is there. */
  readonly leftBy?: string;
  /** Terms as of the last write; absent in tickets of earlier releases. */
  readonly search?: SearchTerms;
  /** Counts writes that changed nothing visible, which the ETag does not count. */
  readonly unseen?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** `wrong_status` if no other applies. */
export type Reason =
  | 'not_printed'
  | 'cancelled'
  | 'invalidated'
  | 'order_cancelled'
  | 'wrong_status'
  | 'already_controlled'
  | 'not_valid'
  | 'wrong_time';

/** `details` is English, for humans. */
export interface Refusal {
  readonly refused: Reason;
  readonly details: string;
}

/** The same object if nothing changes. */
export type Decision<T extends Ticket = Ticket> = { readonly next: T } | Refusal;

const reasons: Readonly<Record<Status, Reason>> = {
  not_printed: 'not_printed',
  printed: 'wrong_status',
  controlled: 'wrong_status',
  invalidated: 'invalidated',
  cancelled: 'cancelled',
};

export function refuseStatus({ status, replacedBy }: Ticket): Refusal {
  const why = status === 'invalidated' ? `: it was replaced by ${replacedBy}` : '';
  return { refused: reasons[status], details: `The ticket is ${status.replace('_', ' ')}${why}.` };
}

export function print<T extends Ticket>(ticket: T, now: string): Decision<T> {
  return ticket.status === 'not_printed'
    ? { next: { ...ticket, status: 'printed', printedAt: now, updatedAt: now } }
    : refuseStatus(ticket);
}

/** printed → not_printed: the print failed. */
export function rollBack<T extends Ticket>(ticket: T, now: string): Decision<T> {
  return ticket.status === 'printed'
    ? { next: { ...ticket, status: 'not_printed', printedAt: null, updatedAt: now } }
    : refuseStatus(ticket);
}

/** printed → invalidated, replaced by the ticket that {@link buildSuccessor} makes. */
export function replace<T extends Ticket>(ticket: T, id: string, successor: Successor): Decision<T> {
  return ticket.status === 'printed'
    ? { next: { ...ticket, status: 'invalidated', replacedBy: id, successor, updatedAt: successor.at } }
    : refuseStatus(ticket);
}

/** Makes the first version. Every process makes the same ticket. */
export function buildSuccessor(ticket: Ticket): Ticket | undefined {
  const { successor, replacedBy } = ticket;
  if (successor === undefined || replacedBy === null) return undefined;
  return {
    id: replacedBy,
    status: 'printed',
    orderId: ticket.orderId,
    ...(ticket.orderNumber === undefined ? {} : { orderNumber: ticket.orderNumber }),
    lineId: ticket.lineId,
    performanceId: ticket.performanceId,
    seatCategoryId: ticket.seatCategoryId,
    tariffId: ticket.tariffId,
    place: ticket.place,
    price: ticket.price,
    productId: ticket.productId ?? null,
    startDate: ticket.startDate ?? null,
    ...(ticket.about === undefined ? {} : { about: ticket.about }),
    beneficiary: successor.beneficiary,
    ...(ticket.named || successor.beneficiary ? { named: true } : {}),
    ...(ticket.namedAsOf === undefined ? {} : { namedAsOf: ticket.namedAsOf }),
    barcode: successor.barcode,
    printedAt: successor.at,
    controlledAt: null,
    gate: null,
    replaces: ticket.id,
    replacedBy: null,
    contactNumber: ticket.contactNumber,
    contactAsOf: ticket.contactAsOf,
    ...findNewOrigin({}, ticket),
    ...(ticket.contactChanged ? { contactChanged: true } : {}),
    ...(ticket.movedAsOf === undefined ? {} : { movedAsOf: ticket.movedAsOf }),
    createdAt: successor.at,
    updatedAt: successor.at,
  };
}

export function countInvisibleWrite({ unseen = 0 }: Ticket) {
  return { unseen: unseen + 1 };
}

/** Unless `override`, a controlled ticket stays controlled for good. Final ones stay as they are. */
export function cancel<T extends Ticket>(ticket: T, override: boolean, now: string): T {
  if (ticket.status === 'invalidated' || ticket.status === 'cancelled') return ticket;
  if (ticket.status !== 'controlled' || override) return { ...ticket, status: 'cancelled', updatedAt: now };
  if (ticket.kept) return ticket;
  // A pass that admits no more is news for scanners without a network.
  return { ...ticket, kept: true, ...(ticket.about?.entries ? { updatedAt: now } : countInvisibleWrite(ticket)) };
}

/** Older versions of the order change nothing. */
export function setContact<T extends Ticket>(ticket: T, contactNumber: string | null, asOf: number): T {
  if (asOf <= ticket.contactAsOf) return ticket;
  const changed = ticket.contactChanged || contactNumber !== ticket.contactNumber;
  const flag = changed ? { contactChanged: true } : {};
  return { ...ticket, contactNumber, contactAsOf: asOf, ...flag, ...countInvisibleWrite(ticket) };
}

export type Origin = Pick<Ticket, 'pointOfSale' | 'createdBy'>;

/** An origin never changes; undefined if nothing is new. */
export function findNewOrigin(
  known: Origin,
  { pointOfSale, createdBy }: { readonly [K in keyof Origin]?: Origin[K] | undefined },
): Origin | undefined {
  const named = {
    ...(known.pointOfSale === undefined && pointOfSale !== undefined && { pointOfSale }),
    ...(known.createdBy === undefined && createdBy !== undefined && { createdBy }),
  };
  return Object.keys(named).length > 0 ? named : undefined;
}

export function completeOrigin<T extends Ticket>(ticket: T, origin: Origin): T {
  const named = findNewOrigin(ticket, origin);
  return named ? { ...ticket, ...named, ...countInvisibleWrite(ticket) } : ticket;
}

const REPLACEMENT = /^(.+)_r([1-9][0-9]{0,8})$/;

/** `tic_x` → `tic_x_r1`: every process that completes an interrupted replacement writes the same ticket. */
export function deriveNextId(id: string): string {
  const [, root = id, generation = '0'] = REPLACEMENT.exec(id) ?? [];
  return `${root}_r${Number(generation) + 1}`;
}

/** Undefined if {@link deriveNextId} did not make this id. */
export function derivePreviousId(id: string): string | undefined {
  const [, root, generation] = REPLACEMENT.exec(id) ?? [];
  if (root === undefined) return undefined;
  return generation === '1' ? root : `${root}_r${Number(generation) - 1}`;
}
