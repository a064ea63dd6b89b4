/** Whether an end lies before its start; open ends never do. Both ISO 8601. */
export const beforeStart = (start: string | null, end: string | null): boolean =>
  start !== null && end !== null && Date.parse(end) < Date.parse(start);

/** The later of two instants as `toISOString` writes them. */
export const later = (left: string, right: string): string => (left < right ? right : left);

/** Whether the runtime's time zone database (IANA) knows the name. An offset like +02:00 is none: it knows no summer. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
