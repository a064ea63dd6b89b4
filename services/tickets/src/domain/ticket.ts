/** Where a ticket stands. `invalidated`: replaced by another; it and `cancelled` are final. */
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

export interface Beneficiary {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** Everything that the replacing ticket has of its own; the replaced one carries it, so that nothing is lost in between. */
export interface Successor {
  readonly barcode: string;
  readonly beneficiary: Beneficiary | null;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Why, in the institution's words; kept with the replaced ticket for whoever asks later, and not shown. */
  readonly reason?: string;
}

/** A ticket as it is kept; instants are ISO 8601 UTC. */
export interface Ticket {
  readonly id: string;
  readonly status: Status;
  readonly orderId: string;
  readonly lineId: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly place: Place;
  readonly price: Price;
  /** The performance's product and start, as the order knew them; a shop shows them. */
  readonly productId?: string | null;
  readonly startDate?: string | null;
  readonly beneficiary: Beneficiary | null;
  /** Who will come has been said, by the order or since, or dropped for good: what the order said does not come later. */
  readonly named?: boolean;
  readonly barcode: string;
  readonly printedAt: string | null;
  readonly controlledAt: string | null;
  readonly gate: string | null;
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** The buyer, and the version of the order that said so. */
  readonly contactNumber: string | null;
  readonly contactAsOf: number;
  /** Another contact was the buyer before. */
  readonly contactChanged?: boolean;
  /** Only of an invalidated one. */
  readonly successor?: Successor;
  /** Its order was cancelled after the control: it stays controlled for good. */
  readonly kept?: boolean;
  /** How many of its writes changed nothing that is shown: validators do not count them. */
  readonly unseen?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Why commands are refused; `wrong_status` for what no other word says. */
export type Reason =
  | 'not_printed'
  | 'cancelled'
  | 'invalidated'
  | 'order_cancelled'
  | 'wrong_status'
  | 'already_controlled'
  | 'meaningless';

/** Why a command has no effect; `details` is for people. */
export interface Refusal {
  readonly refused: Reason;
  readonly details: string;
}

/** The ticket as the command leaves it (the same object if there is nothing to do), or why not. */
export type Decision<T extends Ticket = Ticket> = { readonly next: T } | Refusal;

/** The refusal of a command that this status does not allow. */
const wrong = (ticket: Ticket): Refusal => {
  switch (ticket.status) {
    case 'invalidated':
      return {
        refused: 'invalidated',
        details: `The ticket is invalidated: it was replaced by ${ticket.replacedBy}.`,
      };
    case 'cancelled':
      return { refused: 'cancelled', details: 'The ticket is cancelled.' };
    case 'not_printed':
      return { refused: 'not_printed', details: 'The ticket is not printed.' };
    case 'controlled':
      return { refused: 'wrong_status', details: 'The ticket is controlled.' };
    case 'printed':
      return { refused: 'wrong_status', details: 'The ticket is printed.' };
  }
};

/** not_printed → printed. */
export const print = <T extends Ticket>(ticket: T, now: string): Decision<T> =>
  ticket.status === 'not_printed'
    ? { next: { ...ticket, status: 'printed', printedAt: now, updatedAt: now } }
    : wrong(ticket);

/** printed → not_printed: the print went wrong. */
export const rollBack = <T extends Ticket>(ticket: T, now: string): Decision<T> =>
  ticket.status === 'printed'
    ? { next: { ...ticket, status: 'not_printed', printedAt: null, updatedAt: now } }
    : wrong(ticket);

/** How far the clock of a scanner may be ahead, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

export interface Control {
  readonly gate?: string | undefined;
  /** When it happened, for scanners that were offline; default: now. ISO 8601 UTC. */
  readonly at?: string | undefined;
}

/** printed → controlled, once. */
export const control = <T extends Ticket>(ticket: T, { gate, at }: Control, now: string): Decision<T> => {
  if (ticket.status === 'controlled') {
    const where = ticket.gate === null ? '' : ` at gate ${ticket.gate}`;
    return { refused: 'already_controlled', details: `The ticket was controlled at ${ticket.controlledAt}${where}.` };
  }
  if (ticket.status !== 'printed') return wrong(ticket);
  if (at !== undefined && Date.parse(at) > Date.parse(now) + CLOCK_TOLERANCE_MS) {
    return { refused: 'meaningless', details: `$.at: ${at} is in the future` };
  }
  return { next: { ...ticket, status: 'controlled', controlledAt: at ?? now, gate: gate ?? null, updatedAt: now } };
};

/** controlled → printed. */
export const revert = <T extends Ticket>(ticket: T, now: string): Decision<T> => {
  if (ticket.status !== 'controlled') return wrong(ticket);
  if (ticket.kept) {
    const details = 'The order was cancelled after the control: the ticket stays controlled.';
    return { refused: 'order_cancelled', details };
  }
  return { next: { ...ticket, status: 'printed', controlledAt: null, gate: null, updatedAt: now } };
};

/** printed → invalidated, in favour of the ticket of that id: `successorOf` makes it. */
export const replace = <T extends Ticket>(ticket: T, id: string, successor: Successor): Decision<T> =>
  ticket.status === 'printed'
    ? { next: { ...ticket, status: 'invalidated', replacedBy: id, successor, updatedAt: successor.at } }
    : wrong(ticket);

/** The ticket that replaces an invalidated one, as it is when it is new: printed, and nothing else of it follows from a clock. */
export const successorOf = (ticket: Ticket): Ticket | undefined => {
  const { successor, replacedBy } = ticket;
  if (successor === undefined || replacedBy === null) return undefined;
  return {
    id: replacedBy,
    status: 'printed',
    orderId: ticket.orderId,
    lineId: ticket.lineId,
    performanceId: ticket.performanceId,
    seatCategoryId: ticket.seatCategoryId,
    tariffId: ticket.tariffId,
    place: ticket.place,
    price: ticket.price,
    productId: ticket.productId ?? null,
    startDate: ticket.startDate ?? null,
    beneficiary: successor.beneficiary,
    ...(ticket.named || successor.beneficiary ? { named: true } : {}),
    barcode: successor.barcode,
    printedAt: successor.at,
    controlledAt: null,
    gate: null,
    replaces: ticket.id,
    replacedBy: null,
    contactNumber: ticket.contactNumber,
    contactAsOf: ticket.contactAsOf,
    ...(ticket.contactChanged ? { contactChanged: true } : {}),
    createdAt: successor.at,
    updatedAt: successor.at,
  };
};

const sameName = (one: Beneficiary | null, other: Beneficiary | null): boolean =>
  (one?.firstName ?? null) === (other?.firstName ?? null) && (one?.lastName ?? null) === (other?.lastName ?? null);

/** A name without the white space around it; null if nothing is left. */
const trimmed = (name: string | null | undefined): string | null => name?.trim() || null;

/** A beneficiary with trimmed names; one without any name is none. */
export const named = (names: Partial<Beneficiary>): Beneficiary | null => {
  const [firstName, lastName] = [trimmed(names.firstName), trimmed(names.lastName)];
  return firstName === null && lastName === null ? null : { firstName, lastName };
};

/** Whether this is the ticket's beneficiary. */
export const isNamed = (ticket: Ticket, beneficiary: Beneficiary | null): boolean =>
  sameName(ticket.beneficiary, beneficiary);

/** Whether this ticket was replaced by one with that beneficiary: then asking for it again is a repeat. */
export const replacedFor = ({ successor }: Ticket, beneficiary: Beneficiary | null): boolean =>
  successor !== undefined && sameName(successor.beneficiary, beneficiary);

/** Another beneficiary: changed in place, or by a replacement where the old name is printed already. `asNew`: id and barcode of that. */
export const rename = <T extends Ticket>(
  ticket: T,
  beneficiary: Beneficiary | null,
  asNew: { readonly id: string; readonly barcode: string },
  now: string,
): Decision<T> => {
  if (ticket.status !== 'not_printed' && ticket.status !== 'printed') return wrong(ticket);
  if (sameName(ticket.beneficiary, beneficiary)) return { next: ticket };
  if (ticket.status === 'not_printed') return { next: { ...ticket, beneficiary, named: true, updatedAt: now } };
  return replace(ticket, asNew.id, { barcode: asNew.barcode, beneficiary, at: now });
};

/**
 * The name that the order gave and that comes after the ticket was issued by the fact; never in place of one that was said since. In
 * place also on a printed ticket: nobody has changed his mind.
 */
export const withName = <T extends Ticket>(ticket: T, beneficiary: Beneficiary | null, now: string): T => {
  if (ticket.named || ticket.status === 'invalidated' || ticket.status === 'cancelled') return ticket;
  if (beneficiary === null || ticket.beneficiary !== null) return { ...ticket, named: true, ...unseen(ticket) };
  return { ...ticket, beneficiary, named: true, updatedAt: now };
};

/** Counts a write that shows nothing new. */
const unseen = ({ unseen = 0 }: Ticket) => ({ unseen: unseen + 1 });

/**
 * Its order was cancelled. A controlled ticket stays so (for good), unless `override`: then it keeps when and where. Final ones stay
 * what they are.
 */
export const cancel = <T extends Ticket>(ticket: T, override: boolean, now: string): T => {
  if (ticket.status === 'invalidated' || ticket.status === 'cancelled') return ticket;
  if (ticket.status !== 'controlled' || override) return { ...ticket, status: 'cancelled', updatedAt: now };
  return ticket.kept ? ticket : { ...ticket, kept: true, ...unseen(ticket) };
};

/** The buyer as a version of the order says; older versions change nothing. */
export const withContact = <T extends Ticket>(ticket: T, contactNumber: string | null, asOf: number): T => {
  if (asOf <= ticket.contactAsOf) return ticket;
  const changed = ticket.contactChanged || contactNumber !== ticket.contactNumber;
  const flag = changed ? { contactChanged: true } : {};
  return { ...ticket, contactNumber, contactAsOf: asOf, ...flag, ...unseen(ticket) };
};

/** The ticket without anybody's name, nor the words in which one may stand. */
export const withoutNames = <T extends Ticket>(ticket: T, now: string): T => {
  const { beneficiary, successor } = ticket;
  const { reason, ...rest } = successor ?? {};
  if (beneficiary === null && !successor?.beneficiary && reason === undefined) return ticket;
  const shown = beneficiary === null ? unseen(ticket) : { updatedAt: now };
  return {
    ...ticket,
    beneficiary: null,
    named: true,
    ...(successor && { successor: { ...rest, beneficiary: null } }),
    ...shown,
  };
};
