// Which performances are tonight's, by the clocks of their venues. Pure.

/** An evening lasts until the next morning: until then a performance belongs to the day before. */
const MORNING_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;

const dayOf = (instant, timeZone) =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    instant - MORNING_MS,
  );

/** The performances that tonight's can be among, as `from` and `to` of a query: of all time zones. */
export const windowAround = (now) => ({
  from: new Date(now - 1.5 * DAY_MS).toISOString(),
  to: new Date(now + 2.5 * DAY_MS).toISOString(),
});

/** Tonight's performances and those of the next day, by their start; without cancelled ones. */
export const groupByDay = (performances, now) => {
  const shown = performances
    .filter(({ state, startDate }) => state !== 'cancelled' && startDate)
    .sort((one, other) => (one.startDate < other.startDate ? -1 : 1));
  const onDay = (instant) =>
    shown.filter(({ startDate, timeZone }) => dayOf(Date.parse(startDate), timeZone) === dayOf(instant, timeZone));
  return { tonight: onDay(now), tomorrow: onDay(now + DAY_MS) };
};
