// Rules of tickets without any I/O: statuses, printing, replacement, cancellation and the buyer.

/** The status of a ticket. `invalidated`: replaced by another. `invalidated` and `cancelled` are final. */
export const statuses = ['not_printed', 'printed', 'controlled', 'invalidated', 'cancelled'] as const;
export type Status = (typeof statuses)[number];

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

/** An amount in the currency's minor unit. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
}

type Texts = Readonly<Record<string, string>>;

/** How often a ticket admits that does so more than once: on each local day of the venue, or always. */
export const manyEntries = ['daily', 'unlimited'] as const;
export type Entries = (typeof manyEntries)[number];

/** What the document of a ticket shows beside its own members, as of the sale. Texts are by language (BCP 47). */
export interface SaleDescription {
  readonly institution?: string;
  readonly product: Texts;
  readonly seatCategory: Texts;
  readonly tariff?: Texts;
  readonly venue: { readonly name: string; readonly city: string | null };
  /** IANA name. */
  readonly timeZone: string;
  /** Of the catalog's product; absent in what earlier releases sold. */
  readonly productType?: string;
  /** ISO 8601 UTC; until when what is no show is valid; absent: not known, or a show. */
  readonly validUntil?: string;
  /** How often it admits its holder; absent: once. */
  readonly entries?: Entries;
}

export interface Beneficiary {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** Who made the order: a client, with the user who was signed in at it, or a shopper of a point of sale. */
export type Creator = { readonly clientId: string; readonly userId?: string } | { readonly pointOfSale: string };

/**
 * The own members of the replacing ticket; stored with the replaced one, so that any process can write the new
 * ticket.
 */
interface Successor {
  readonly barcode: string;
  readonly beneficiary: Beneficiary | null;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** The reason given by the institution; stored only, no answer shows it. */
  readonly reason?: string;
}

/**
 * A scan that admitted the ticket's holder. It is written with the ticket, so that any process can record the scan and
 * repeat its answer.
 */
export interface Admission {
  readonly scanId: string;
  /** The scanner's own name of the scan; null for a single control. */
  readonly nonce: string | null;
  /** When the holder was admitted; ISO 8601 UTC, like `receivedAt`. */
  readonly at: string;
  readonly gate: string | null;
  readonly offline: boolean;
  readonly receivedAt: string;
  /** An offline scan that arrived later had happened earlier: it is the control. */
  readonly displaced?: true;
  /** It was taken back. */
  readonly reverted?: true;
}

/** The terms of a ticket, each compared from its beginning. */
export interface SearchTerms {
  /** The number of its order; the one term that is compared as a whole. */
  readonly order: string;
  /** The label of its place. */
  readonly place: string;
  /** The beneficiary's names in both orders; null without names. */
  readonly name: string | null;
  readonly lastName: string | null;
}

/** A ticket as it is stored; instants are ISO 8601 UTC. */
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
  /** Product and start of the performance as of the sale, as given by the order. */
  readonly productId?: string | null;
  readonly startDate?: string | null;
  /** Absent in tickets of earlier releases. */
  readonly about?: SaleDescription;
  readonly beneficiary: Beneficiary | null;
  /**
   * Whether the beneficiary was set, by the order or later, or erased: names of the order are not applied afterwards.
   */
  readonly named?: boolean;
  /** When the names were last erased with their contact; ISO 8601 UTC. */
  readonly namesErasedAt?: string;
  /** The last change of the beneficiary at the order that the ticket has followed; absent: none. */
  readonly namedAsOf?: number;
  readonly barcode: string;
  readonly printedAt: string | null;
  readonly controlledAt: string | null;
  readonly gate: string | null;
  /** The newest scans that admitted its holder, the last one last; a reverted control stays. Absent: none. */
  readonly admissions?: readonly Admission[];
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** The buyer, and the version of the order that named it. */
  readonly contactNumber: string | null;
  readonly contactAsOf: number;
  /**
   * Service host of the order's sales channel; null without one, absent until the order names it: then the ticket is
   * in no point of sale's bounds.
   */
  readonly pointOfSale?: string | null;
  /** Absent until the order names it, as in tickets of earlier releases: then it belongs to no client with bounds. */
  readonly createdBy?: Creator;
  /** The last move of its performance that it was changed for when it was printed; absent: none. */
  readonly movedAsOf?: number;
  /** Whether another contact was the buyer before. */
  readonly contactChanged?: boolean;
  /** Only of an invalidated ticket. */
  readonly successor?: Successor;
  /** The order was cancelled after the control: the ticket stays controlled for good. */
  readonly kept?: boolean;
  /** What it is found by, as of its last write; absent in tickets of earlier releases. */
  readonly search?: SearchTerms;
  /** The number of writes that changed nothing visible; the ETag does not count them. */
  readonly unseen?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The reasons of refused commands; `wrong_status` if no other applies. */
export type Reason =
  | 'not_printed'
  | 'cancelled'
  | 'invalidated'
  | 'order_cancelled'
  | 'wrong_status'
  | 'already_controlled'
  | 'not_valid'
  | 'wrong_time';

/** A refused command; `details` is English, for humans. */
export interface Refusal {
  readonly refused: Reason;
  readonly details: string;
}

/** The ticket after the command (the same object if nothing changes), or the refusal. */
export type Decision<T extends Ticket = Ticket> = { readonly next: T } | Refusal;

const reasons: Readonly<Record<Status, Reason>> = {
  not_printed: 'not_printed',
  printed: 'wrong_status',
  controlled: 'wrong_status',
  invalidated: 'invalidated',
  cancelled: 'cancelled',
};

/** The refusal of a command that this status does not allow. */
export function refuseStatus({ status, replacedBy }: Ticket): Refusal {
  const why = status === 'invalidated' ? `: it was replaced by ${replacedBy}` : '';
  return { refused: reasons[status], details: `The ticket is ${status.replace('_', ' ')}${why}.` };
}

/** not_printed → printed. */
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

/** printed → invalidated, replaced by the ticket with this id, which `successorOf` makes. */
export function replace<T extends Ticket>(ticket: T, id: string, successor: Successor): Decision<T> {
  return ticket.status === 'printed'
    ? { next: { ...ticket, status: 'invalidated', replacedBy: id, successor, updatedAt: successor.at } }
    : refuseStatus(ticket);
}

/**
 * The first version of the ticket that replaces an invalidated one. Deterministic: every process makes the same
 * ticket.
 */
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

/** Counts a write that changes nothing visible. */
export function countUnseen({ unseen = 0 }: Ticket) {
  return { unseen: unseen + 1 };
}

/**
 * Cancels the ticket, since its order was cancelled. A controlled ticket stays controlled for good, unless
 * `override`; it keeps time and gate of the control. Final ones stay as they are.
 */
export function cancel<T extends Ticket>(ticket: T, override: boolean, now: string): T {
  if (ticket.status === 'invalidated' || ticket.status === 'cancelled') return ticket;
  if (ticket.status !== 'controlled' || override) return { ...ticket, status: 'cancelled', updatedAt: now };
  return ticket.kept ? ticket : { ...ticket, kept: true, ...countUnseen(ticket) };
}

/** Sets the buyer as of a version of the order; older versions change nothing. */
export function setContact<T extends Ticket>(ticket: T, contactNumber: string | null, asOf: number): T {
  if (asOf <= ticket.contactAsOf) return ticket;
  const changed = ticket.contactChanged || contactNumber !== ticket.contactNumber;
  const flag = changed ? { contactChanged: true } : {};
  return { ...ticket, contactNumber, contactAsOf: asOf, ...flag, ...countUnseen(ticket) };
}

/** Through which channel and by whom an order was made; a member is absent until the order names it. */
export type Origin = Pick<Ticket, 'pointOfSale' | 'createdBy'>;

/** What a confirmation is the first to name of an origin that never changes; undefined if that is nothing. */
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

/** Sets what a ticket was issued without: the sales channel, who made the order. */
export function completeOrigin<T extends Ticket>(ticket: T, origin: Origin): T {
  const named = findNewOrigin(ticket, origin);
  return named ? { ...ticket, ...named, ...countUnseen(ticket) } : ticket;
}

const REPLACEMENT = /^(.+)_r([1-9][0-9]{0,8})$/;

/**
 * The id of the ticket that replaces this one: `tic_x` → `tic_x_r1` → `tic_x_r2`. It is derived from the old id,
 * since a ticket is replaced at most once: every process that completes an interrupted replacement writes the same
 * ticket.
 */
export function deriveNextId(id: string): string {
  const [, root = id, generation = '0'] = REPLACEMENT.exec(id) ?? [];
  return `${root}_r${Number(generation) + 1}`;
}

/** The id of the ticket that this one replaces; undefined if `nextId` did not make this id. */
export function derivePreviousId(id: string): string | undefined {
  const [, root, generation] = REPLACEMENT.exec(id) ?? [];
  if (root === undefined) return undefined;
  return generation === '1' ? root : `${root}_r${Number(generation) - 1}`;
}
