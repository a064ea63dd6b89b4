/** Whether the end is before the start; false if one is open (null). Both ISO 8601. */
export const beforeStart = (start: string | null, end: string | null): boolean =>
  start !== null && end !== null && Date.parse(end) < Date.parse(start);

/** The later of two instants in the format of `toISOString`. */
export const later = (left: string, right: string): string => (left < right ? right : left);
