// Calendar files (RFC 5545) of bought performances, for the pages of the shop and for mails.

/** Octets of a content line without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75;

const octets = new TextEncoder();

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

/** A value of type TEXT (3.3.11); control characters, which it may not contain, become spaces. */
const text = (value) =>
  value
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?!\n)\p{Cc}/gu, ' ')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);

/** A date with time in UTC (3.3.5, form 2). */
const utc = (time) => `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

const MINUTE_MS = 60_000;

const eventOf = (event, writtenAt) => {
  const { uid, startDate, durationMinutes, summary, location, description, url, isCancelled, sequence = 0 } = event;
  const start = Date.parse(startDate);
  return [
    'BEGIN:VEVENT',
    `UID:${text(uid)}`,
    `DTSTAMP:${utc(writtenAt)}`,
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

/**
 * The id of an order's event of one performance. It is the same in every file, so a calendar that knows the event
 * changes it instead of adding another.
 */
export const eventUid = (orderId, performanceId, serviceHost) => `${orderId}.${performanceId}@${serviceHost}`;

/** The media type of a calendar file. */
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8; method=PUBLISH';

/**
 * A calendar file with the events. Of one that changes, the later file has the higher `sequence`, or it was written
 * later; `writtenAt` in epoch milliseconds.
 */
export const calendarOf = (events, writtenAt) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//boxoffice//point of sale//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...events.flatMap((event) => eventOf(event, writtenAt)),
    'END:VCALENDAR',
  ]
    .map((line) => `${fold(line)}\r\n`)
    .join('');
