// Calendar files (RFC 5545) of bought performances, for the pages of the shop and for mails.

/** Octets of a content line without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75;

const octets = new TextEncoder();

const MINUTE_MS = 60_000;

/**
 * The id of an order's event of one performance. It is the same in every file, so a calendar that knows the event
 * changes it instead of adding another.
 */
export function eventUid(orderId, performanceId, serviceHost) {
  return `${orderId}.${performanceId}@${serviceHost}`;
}

/** What a file says; of one instant the later ones win. */
const OCCASIONS = ['confirmation', 'moved', 'cancelled'];

/**
 * The SEQUENCE (RFC 5546, 2.1.5) of what is true of an order at an instant (epoch milliseconds): it grows with the
 * time, so a file about a later change replaces the one before it.
 */
export function sequenceAt({ createdAt }, time, occasion = 'confirmation') {
  return (
    Math.max(0, Math.floor((time - Date.parse(createdAt)) / 1_000)) * OCCASIONS.length + OCCASIONS.indexOf(occasion)
  );
}

/** The media type of a calendar file. */
export function calendarType({ isCancelled = false } = {}) {
  return `text/calendar; charset=utf-8; method=${methodOf(isCancelled)}`;
}

const methodOf = (isCancelled) => (isCancelled ? 'CANCEL' : 'PUBLISH');

/**
 * A calendar file that publishes the events, or cancels one (RFC 5546, 3.2.1 and 3.2.5). `organiser` has a name and an
 * address, and is the same in every file of an event, `sequence` is made by {@link sequenceAt}; `writtenAt` in epoch
 * milliseconds.
 */
export function calendarOf(events, its) {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//boxoffice//point of sale//EN',
    'CALSCALE:GREGORIAN',
    `METHOD:${methodOf(its.isCancelled)}`,
    ...events.flatMap((event) => eventOf(event, its)),
    'END:VCALENDAR',
  ]
    .map((line) => `${fold(line)}\r\n`)
    .join('');
}

const eventOf = (event, { writtenAt, organiser, sequence, isCancelled }) => {
  const { uid, startDate, durationMinutes, summary, location, description, url } = event;
  const start = Date.parse(startDate);
  return [
    'BEGIN:VEVENT',
    `UID:${text(uid)}`,
    `DTSTAMP:${utc(writtenAt)}`,
    organiserOf(organiser),
    `SEQUENCE:${sequence}`,
    `DTSTART:${utc(start)}`,
    ...(durationMinutes ? [`DTEND:${utc(start + durationMinutes * MINUTE_MS)}`] : []),
    `SUMMARY:${text(summary)}`,
    ...(location ? [`LOCATION:${text(location)}`] : []),
    ...(description ? [`DESCRIPTION:${text(description)}`] : []),
    ...(url ? [`URL:${new URL(url).href}`] : []),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
  ];
};

/** A value of type TEXT (3.3.11); control characters, which it may not contain, become spaces. */
const text = (value) =>
  value
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?!\n)\p{Cc}/gu, ' ')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);

/** A date with time in UTC (3.3.5, form 2). */
const utc = (time) => `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** The organiser (3.8.4.3): its name as a quoted parameter (3.2), which has no quotes of its own. */
const organiserOf = ({ name, address }) => {
  const shown = name.replaceAll(/\p{Cc}/gu, ' ').replaceAll('"', "'");
  return `ORGANIZER${shown && `;CN="${shown}"`}:mailto:${address.split('@').map(encodeURIComponent).join('@')}`;
};

/** Folds a content line between characters; each further line begins with a space, which counts. */
const fold = (line) => {
  const lines = [];
  let current = '';
  let size = 0;
  for (const character of line) {
    const more = octets.encode(character).length;
    if (size + more > LINE_OCTETS) {
      lines.push(current);
      current = ' ';
      size = 1;
    }
    current += character;
    size += more;
  }
  return [...lines, current].join('\r\n');
};
