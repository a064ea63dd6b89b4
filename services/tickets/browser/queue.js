// The scans of this phone: kept until the server has answered each, sent again as often as needed.

/** The most scans of a request. */
const MAX_BATCH = 500;

/** A scan as POST /svc/v3/tickets/controls takes it. */
export function itemOf({ nonce, barcode, ticketId, performanceId, gate, at }) {
  return {
    nonce,
    ...(barcode === undefined ? { ticketId } : { barcode }),
    ...(performanceId === null ? {} : { performanceId }),
    ...(gate === null ? {} : { gate }),
    at,
    offline: true,
  };
}

/**
 * A scan is `{nonce, barcode?, ticketId, performanceId, gate, at, shown, isAsked, isUndone, answer, contradiction}`:
 * `isAsked` if a request with it may have had its effect, `isUndone` if that effect is to be taken back, `answer` null
 * until the server has answered; of a refusal by the phone alone, which is not sent, what it showed.
 * It is in the database, and until the server has answered in the backup, too: browsers lose either.
 * - `database`: of `database.js`; `backup`: of `scan-backup.js`
 * - `send(items)`: the answers of POST /svc/v3/tickets/controls
 * - `revert(ticketId, at)`: takes back the control of this instant, if that is the ticket's
 * - `onAnswers(scans)`, `onChange()`: called after answers, after each change
 */
export function createQueue({ database, backup, send, revert, onAnswers, onChange }) {
  /** By nonce, in the order in which they were made. */
  const scans = new Map();

  const isOpen = ({ answer, isUndone }) => answer === null || isUndone;

  const write = async (put, remove) => {
    try {
      await database.write({ scans: { put, remove: remove.map(({ nonce }) => nonce) } });
      for (const { nonce } of put) if (!scans.has(nonce) || !isOpen(scans.get(nonce))) backup.remove(nonce);
      return true;
    } catch {
      return false;
    }
  };

  /** Changes scans; resolves to whether they are kept in one place at least. */
  const store = async (put, remove = []) => {
    for (const scan of put) scans.set(scan.nonce, scan);
    for (const { nonce } of remove) scans.delete(nonce);
    for (const { nonce } of remove) backup.remove(nonce);
    const areBackedUp = put.map(backup.put);
    const written = write(put, remove);
    onChange();
    return !areBackedUp.includes(false) || written;
  };

  const all = () => [...scans.values()];
  const contradictions = () => all().filter(({ contradiction, isRead }) => contradiction && !isRead);
  const waiting = () => all().filter(({ answer }) => answer === null);

  /** The next scans to send. Another scan of a ticket waits until the one before it is taken back. */
  const nextBatch = () => {
    const undone = new Set();
    const batch = [];
    for (const scan of waiting()) {
      if (scan.ticketId !== null && undone.has(scan.ticketId)) continue;
      if (scan.isUndone) undone.add(scan.ticketId);
      batch.push(scan);
    }
    return batch.slice(0, MAX_BATCH);
  };

  const revertUndone = async () => {
    for (const scan of all().filter(({ isUndone, answer }) => isUndone && answer !== null)) {
      if (scan.answer.result === 'admitted') await revert(scan.answer.ticketId, scan.answer.control.at);
      await store([], [scan]);
    }
  };

  /** The scan with its answer, without what was read. */
  const answered = ({ barcode, ...scan }, answer) => {
    const contradiction = !scan.isUndone && contradicts(scan, answer) ? answer : null;
    return { ...scan, answer, ticketId: answer.ticketId ?? scan.ticketId, contradiction };
  };

  const sendAll = async () => {
    for (;;) {
      await revertUndone();
      const batch = nextBatch();
      if (batch.length === 0) return;
      // First recorded: whoever takes back one of them from now on has to ask the server.
      await store(batch.map((scan) => ({ ...scan, isAsked: true })));
      const answers = new Map((await send(batch.map(itemOf))).map((answer) => [answer.nonce, answer]));
      const known = batch.filter(({ nonce }) => answers.has(nonce) && scans.has(nonce));
      await store(known.map(({ nonce }) => answered(scans.get(nonce), answers.get(nonce))));
      await onAnswers(known.map(({ nonce }) => scans.get(nonce)));
      if (known.length === 0) return;
    }
  };

  let sending;

  return {
    /** Takes the scans of before a reload: those of the database, and those that it has lost. */
    async open(stored) {
      const backedUp = backup.all();
      const kept = new Map([...stored, ...backedUp].map((scan) => [scan.nonce, upgraded(scan)]));
      const inOrder = [...kept.values()].sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
      for (const scan of inOrder) scans.set(scan.nonce, scan);
      await store(inOrder.filter(isOpen));
    },
    /** Notes a scan that the server is asked about: if the page ends before there is a verdict, it is taken back. */
    ask: (scan) => backup.put({ ...scan, isAsked: true, isUndone: true, answer: null }),
    /** Forgets that: it has an answer. */
    settle: (nonce) => backup.remove(nonce),
    /**
     * Keeps a scan; one with an answer as what has happened. @throws {Error} if an open one can be kept nowhere: it
     * does not count, and what the server may know of it is taken back
     */
    async add(scan) {
      if (await store([scan])) return;
      if (scan.isAsked) await store([{ ...scan, isUndone: true }]);
      else await store([], [scan]);
      throw new Error('the scan cannot be kept');
    },
    /** Sends what waits, and takes back what was undone; rejects if that must be tried again. */
    flush() {
      for (const scan of all()) if (isOpen(scan)) backup.put(scan);
      sending ??= sendAll().finally(() => {
        sending = undefined;
      });
      return sending;
    },
    /** Takes back an admission: at once if the server cannot know it, else with the next flush. */
    async undo(nonce) {
      const scan = scans.get(nonce);
      if (!scan) return;
      if (scan.isAsked) await store([{ ...scan, isUndone: true }]);
      else await store([], [scan]);
    },
    /** The admission of a ticket that waits to be sent. */
    admissionOf: (ticketId) =>
      waiting().find((scan) => scan.ticketId === ticketId && scan.shown.result === 'admitted' && !scan.isUndone),
    /** Compares newer statuses with what was admitted here: of two doors the later one is told so, too. */
    async compare(statuses) {
      const admitted = all().filter(({ answer }) => answer?.result === 'admitted');
      if (admitted.length === 0) return;
      const byTicket = new Map(admitted.map((scan) => [scan.ticketId, scan]));
      const found = statuses.flatMap(({ id, status, controlledAt, gate }) => {
        const own = byTicket.get(id);
        if (!own || own.contradiction || status !== 'controlled' || controlledAt >= own.answer.control.at) return [];
        const control = { at: controlledAt, gate };
        return [{ ...own, contradiction: { result: 'repeated', reason: 'ticket_already_controlled', control } }];
      });
      if (found.length > 0) await store(found);
    },
    /** Marks the contradictions as read. */
    acknowledge: () => store(contradictions().map((scan) => ({ ...scan, isRead: true }))),
    /** How many are not sent or not taken back yet. */
    pending: () => all().filter(isOpen).length,
    contradictions,
    all,
    /** Deletes what the server has answered; with `isComplete` everything. */
    async forget(isComplete = false) {
      await store([], isComplete ? all() : all().filter((scan) => !isOpen(scan)));
    },
  };
}

/** Whether the server answers something else than the steward was shown. */
const contradicts = (scan, { result, control }) =>
  (scan.shown.result === 'admitted') !== (result === 'admitted' || isOwn(control, scan));

/** Whether a control of the server is the effect of this scan. */
const isOwn = (control, { at, gate }) => control?.at === at && control.gate === gate;

/** A scan of an earlier release has the label of its place alone. */
const upgraded = (scan) => {
  const { place } = scan.shown;
  if (typeof place !== 'string') return scan;
  return { ...scan, shown: { ...scan.shown, place: { label: place, row: null, seat: null } } };
};
