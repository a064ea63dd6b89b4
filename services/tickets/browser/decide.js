// Whom the door lets in, decided without a network. Pure: the answer that POST /svc/v3/tickets/controls would give, as
// far as this phone knows.

/** The reasons of refusals where the ticket is real and a person can help. */
const MILD = ['ticket_other_performance', 'ticket_not_printed', 'ticket_not_valid_now'];

/** The reason of a refusal by the status of the ticket. */
const REFUSALS = {
  not_printed: 'ticket_not_printed',
  invalidated: 'ticket_invalidated',
  cancelled: 'ticket_cancelled',
};

/** The colour of an answer: green lets in, amber needs a look, red does not let in. */
export function colourOf({ result, reason }) {
  if (result === 'admitted') return 'green';
  return ['repeated', 'undecided'].includes(result) || MILD.includes(reason) ? 'amber' : 'red';
}

/**
 * Decides about a ticket.
 * - `ticket`: `{ticketId, performanceId}` of a verified barcode; of a number that was typed only `ticketId`; undefined
 *   if what was read is no barcode of the institution.
 * - `performanceIds`: those of this door.
 * - `status`: `{performanceId, status, place, seatCategory, controlledAt, gate, entries?, validity?}` as downloaded;
 * undefined if it is not in the list.
 * - `admission`: `{at, gate}` of the scan that this phone has admitted and not sent yet.
 *
 * - `now`: the server's time, epoch milliseconds.
 * - `isReady`: whether keys and list are there; without them nobody can be refused or admitted.
 *
 * A signed ticket of the evening that is not in the list was sold after the download: it is admitted, and `isNew`.
 */
export function decide({ ticket, performanceIds, status, admission, now, isReady = true }) {
  const performanceId = ticket?.performanceId ?? status?.performanceId ?? admission?.performanceId ?? null;
  const about = {
    ticketId: ticket?.ticketId ?? null,
    place: status?.place ?? null,
    seatCategory: status?.seatCategory ?? null,
    performanceId,
    control: null,
    isNew: false,
  };
  const refused = (reason) => ({ ...about, result: 'refused', reason });
  const repeated = (control) => ({ ...about, result: 'repeated', reason: 'ticket_already_controlled', control });
  const admitted = { ...about, result: 'admitted', reason: null };

  if (!isReady) return { ...about, result: 'undecided', reason: 'no_list' };
  if (!ticket) return refused('ticket_unknown_barcode');
  if (performanceId === null) return { ...refused('not_found'), ticketId: null };
  if (!performanceIds.includes(performanceId)) return refused('ticket_other_performance');
  const waiting = admission && { at: admission.at, gate: admission.gate };
  const listed = status?.status === 'controlled' && { at: status.controlledAt, gate: status.gate };
  if (status?.entries && (listed || status.status === 'printed')) {
    const again = decideAgain(status, [waiting, listed].filter(Boolean), now);
    if (again.refused) return refused(again.refused);
    return again.control ? repeated(again.control) : admitted;
  }
  if (waiting) return repeated(waiting);
  if (!status) return { ...admitted, isNew: true };
  if (listed) return repeated(listed);
  return status.status === 'printed' ? admitted : refused(REFUSALS[status.status]);
}

/** Decides about a ticket that admits more than once: within its validity, a `daily` one once per local day. */
const decideAgain = ({ entries, validity: { from, until, timeZone } }, controls, now) => {
  const today = dayIn(timeZone, now);
  const isOver = until !== null && now >= Date.parse(until);
  if (isOver || (from !== null && today < dayIn(timeZone, from))) return { refused: 'ticket_not_valid_now' };
  return { control: entries === 'daily' ? controls.find(({ at }) => dayIn(timeZone, at) === today) : undefined };
};

const dayIn = (timeZone, instant) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(instant));
