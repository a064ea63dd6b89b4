// Which of the performances that are on, or begin soon, are today's. Pure; the server says what their clocks show.

/** A day at the door lasts until the next morning: what begins at one in the night belongs to the evening before. */
const MORNING_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;

/** From now until the end of tomorrow, in every time zone, as `from` and `to` of a query. */
export function windowFrom(now) {
  return {
    from: new Date(now).toISOString(),
    to: new Date(now + 2 * DAY_MS).toISOString(),
  };
}

/** What the clock of a performance's venue shows now, as milliseconds, like `Date.parse` of a `localStart` in UTC. */
export function localNow({ startDate, localStart }, now) {
  return now + Date.parse(`${localStart}Z`) - Math.floor(Date.parse(startDate) / 60_000) * 60_000;
}

/**
 * Groups performances of GET /svc/v3/catalog/programme, each in their order: `today` those that are on or begin today,
 * `passes` what is valid today and no show, `tomorrow` what begins then.
 */
export function groupByDay(performances, now) {
  const groups = { today: [], passes: [], tomorrow: [] };
  for (const one of performances) {
    const local = localNow(one, now);
    const day = dayOf(Date.parse(`${one.localStart}Z`));
    const isToday = Date.parse(one.startDate) <= now || day === dayOf(local);
    if (isToday) groups[one.type === 'show' ? 'today' : 'passes'].push(one);
    else if (day === dayOf(local + DAY_MS)) groups.tomorrow.push(one);
  }
  return groups;
}

const dayOf = (local) => new Date(local - MORNING_MS).toISOString().slice(0, 10);
