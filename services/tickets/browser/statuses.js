// The statuses of an evening's tickets: downloaded once, then kept up to date with what has changed. The memory has
// each downloaded list as one record, which a slow phone writes at once, and what has changed since ticket by ticket.

const PAGE = 500;
const AS_OF = 'statuses';

/** The statuses of tickets that are in force. */
const IN_FORCE = ['not_printed', 'printed', 'controlled'];

/**
 * - `database`: of `database.js`
 * - `list(query)`: the data of GET /svc/v3/tickets/statuses; `listAll(query)`: of GET /svc/v3/tickets/statuses/all
 * - `now()`: the server's time, epoch milliseconds
 * - `onChange(records)`: called with the records that have changed
 */
export function createStatuses({ database, list, listAll, now, onChange }) {
  const records = createRecords();
  const { byId } = records;
  /** By performance: `since`, the next `modifiedSince`, and `at`, when the list was read. */
  let read = {};
  /** Their names by language, by id. */
  let seatCategories = {};
  /** Tickets that this phone has controlled while a list was being read, which is older then. */
  const touched = new Set();

  /** Those that the memory has apart from their lists. */
  const changed = new Set();

  const readAll = async (performanceId) => {
    const at = now();
    const { items, asOf, seatCategories: names } = await listAll({ performanceId });
    seatCategories = { ...seatCategories, ...names };
    return { items, read: { since: asOf, at } };
  };

  const readChanges = async (performanceId) => {
    const known = read[performanceId];
    const at = now();
    const items = [];
    let [cursor, asOf] = [undefined, undefined];
    do {
      const page = await list({ performanceId, limit: PAGE, modifiedSince: known.since, cursor });
      items.push(...page.items);
      seatCategories = { ...seatCategories, ...page.seatCategories };
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

  const setting = () => ({ name: AS_OF, read, seatCategories });

  /** What cannot be written now is, with the rest, once the database is there again. */
  const write = (changes) => void database.write(changes).catch(() => undefined);

  const listOf = (performanceId) => ({
    performanceId,
    items: [...byId.values()].filter((record) => record.performanceId === performanceId),
  });

  /** Stores changed records; of a new list the whole of it. */
  const store = (put, newListOf) => {
    for (const record of put) {
      records.put(record);
      if (newListOf === undefined) changed.add(record.id);
    }
    const changes = newListOf === undefined ? { statuses: { put } } : { lists: { put: [listOf(newListOf)] } };
    write({ ...changes, settings: { put: [setting()] } });
    if (put.length > 0) onChange(put);
  };

  return {
    /** Takes what was downloaded before. */
    open({ lists, statuses, settings }) {
      for (const { items } of lists) for (const record of items) records.put(record);
      for (const record of statuses) {
        records.put(record);
        changed.add(record.id);
      }
      const known = settings.find(({ name }) => name === AS_OF);
      read = known?.read ?? {};
      seatCategories = known?.seatCategories ?? {};
    },
    /** Downloads the list of a performance; of one that is there, what has changed. */
    async refresh(performanceId) {
      touched.clear();
      const isNew = read[performanceId] === undefined;
      const { items, read: fresh } = await (isNew ? readAll : readChanges)(performanceId);
      read = { ...read, [performanceId]: fresh };
      const listed = items.map((item) => ({ ...item, performanceId }));
      store(
        listed.filter((record) => !touched.has(record.id) && differs(record)),
        isNew ? performanceId : undefined,
      );
    },
    /** Sets what this phone knows better than the last list: `{status, controlledAt, gate}` by ticket. */
    set(changes) {
      const known = [...changes].filter(([id]) => byId.has(id));
      for (const [id] of known) touched.add(id);
      store(known.map(([id, change]) => ({ ...byId.get(id), ...change })));
    },
    /** The record of a ticket, with the name of its category. */
    get(id) {
      const record = byId.get(id);
      if (!record) return undefined;
      const { place: label, row = null, seat = null, seatCategoryId } = record;
      return { ...record, place: { label, row, seat }, seatCategory: seatCategories[seatCategoryId] ?? null };
    },
    all: () => [...byId.values()],
    /** Everything, as the database has it after it was filled. */
    contents: () => ({ lists: Object.keys(read).map(listOf), statuses: [] }),
    setting,
    countsOf: records.countsOf,
    /** When the oldest of these lists was read, epoch milliseconds; undefined if one is missing. */
    asOf(performanceIds) {
      const times = performanceIds.map((id) => read[id]?.at);
      return times.length === 0 || times.includes(undefined) ? undefined : Math.min(...times);
    },
    /** Deletes the lists of all other performances. */
    keep(performanceIds) {
      const others = [...byId.values()].filter((record) => !performanceIds.includes(record.performanceId));
      const ended = Object.keys(read).filter((id) => !performanceIds.includes(id));
      for (const { id } of others) records.remove(id);
      const used = new Set([...byId.values()].map(({ seatCategoryId }) => seatCategoryId));
      seatCategories = Object.fromEntries(Object.entries(seatCategories).filter(([id]) => used.has(id)));
      read = Object.fromEntries(Object.entries(read).filter(([id]) => performanceIds.includes(id)));
      write({
        lists: { remove: ended },
        statuses: { remove: others.map(({ id }) => id).filter((id) => changed.delete(id)) },
        settings: { put: [setting()] },
      });
    },
  };
}

/** Records by id, counted as they come and go: an evening has thousands, and counts are shown after every scan. */
const createRecords = () => {
  const byId = new Map();
  /** By performance: the tickets in force, and those inside by gate. */
  const counts = new Map();

  const count = ({ performanceId, status, gate }, step) => {
    if (!counts.has(performanceId)) counts.set(performanceId, { issued: 0, gates: new Map() });
    const its = counts.get(performanceId);
    if (IN_FORCE.includes(status)) its.issued += step;
    if (status === 'controlled') its.gates.set(gate, (its.gates.get(gate) ?? 0) + step);
  };
  const remove = (id) => {
    const old = byId.get(id);
    if (old) count(old, -1);
    byId.delete(id);
  };

  return {
    byId,
    remove,
    put(record) {
      remove(record.id);
      byId.set(record.id, record);
      count(record, 1);
    },
    /** How many tickets of these performances are in force, and how many are inside by gate. */
    countsOf(performanceIds) {
      const gates = new Map();
      let issued = 0;
      for (const its of performanceIds.map((id) => counts.get(id)).filter(Boolean)) {
        issued += its.issued;
        for (const [gate, number] of its.gates) if (number > 0) gates.set(gate, (gates.get(gate) ?? 0) + number);
      }
      return { issued, gates };
    },
  };
};
