// The statuses of an evening's tickets: downloaded once, then kept up to date with what has changed.

const PAGE = 500;
const AS_OF = 'statuses';

/**
 * - `database`: of `database.js`
 * - `list(query)`: the data of GET /svc/v3/tickets/statuses
 * - `now()`: the server's time, epoch milliseconds
 * - `onChange(records)`: called with the records that have changed
 */
export const createStatuses = ({ database, list, now, onChange }) => {
  const byId = new Map();
  /** By performance: `since`, the next `modifiedSince`, and `at`, when the list was read. */
  let read = {};
  /** Tickets that this phone has controlled while a list was being read, which is older then. */
  const touched = new Set();

  const readPages = async (performanceId) => {
    const known = read[performanceId];
    const at = now();
    const items = [];
    let [cursor, asOf] = [undefined, undefined];
    do {
      const page = await list({ performanceId, limit: PAGE, modifiedSince: known?.since, cursor });
      items.push(...page.items);
      [cursor, asOf] = [page.nextCursor ?? undefined, page.asOf];
    } while (cursor);
    return { items, read: { since: asOf, at } };
  };

  const differs = ({ id, status, controlledAt, gate, place }) => {
    const old = byId.get(id);
    return (
      !old || old.status !== status || old.controlledAt !== controlledAt || old.gate !== gate || old.place !== place
    );
  };

  const store = async (put) => {
    for (const record of put) byId.set(record.id, record);
    await database.write({ statuses: { put }, settings: { put: [{ name: AS_OF, read }] } });
    if (put.length > 0) onChange(put);
  };

  return {
    /** Loads what was downloaded before. */
    async open() {
      for (const record of await database.all('statuses')) byId.set(record.id, record);
      read = (await database.all('settings')).find(({ name }) => name === AS_OF)?.read ?? {};
    },
    /** Downloads the list of a performance; of one that is there, what has changed. */
    async refresh(performanceId) {
      touched.clear();
      const { items, read: fresh } = await readPages(performanceId);
      read = { ...read, [performanceId]: fresh };
      const records = items.map((item) => ({ ...item, performanceId }));
      await store(records.filter((record) => !touched.has(record.id) && differs(record)));
    },
    /** Sets what this phone knows better than the last list: `{status, controlledAt, gate}` by ticket. */
    async set(changes) {
      const known = [...changes].filter(([id]) => byId.has(id));
      for (const [id] of known) touched.add(id);
      await store(known.map(([id, change]) => ({ ...byId.get(id), ...change })));
    },
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    /** When the oldest of these lists was read, epoch milliseconds; undefined if one is missing. */
    asOf(performanceIds) {
      const times = performanceIds.map((id) => read[id]?.at);
      return times.includes(undefined) ? undefined : Math.min(...times);
    },
    /** Deletes the lists of all other performances. */
    async keep(performanceIds) {
      const others = [...byId.values()].filter((record) => !performanceIds.includes(record.performanceId));
      for (const { id } of others) byId.delete(id);
      read = Object.fromEntries(Object.entries(read).filter(([id]) => performanceIds.includes(id)));
      await database.write({
        statuses: { remove: others.map(({ id }) => id) },
        settings: { put: [{ name: AS_OF, read }] },
      });
    },
  };
};
