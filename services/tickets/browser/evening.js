// An evening at a door: what was chosen and downloaded, and each scan from what was read to what is shown.
import { createDatabase } from './database.js';
import { decide } from './decide.js';
import { createQueue, itemOf } from './queue.js';
import { createScanBackup } from './scan-backup.js';
import { createStatuses } from './statuses.js';
import { isBarcode, scannedText } from './verify.js';

/** How long the server may take to answer a scan before the phone decides alone. Milliseconds. */
const PATIENCE_MS = 1_000;
/** How long an evening is kept after its last performance has begun. Milliseconds. */
const KEPT_MS = 12 * 3_600_000;
/** How long the keys count as all that there are. Milliseconds. */
const KEYS_MS = 600_000;
const MAX_TEXT = 2_048;
/** How often it is read what is on. Milliseconds. */
const ON_MS = 60_000;
/** How often it is read which other performances there are. Milliseconds. */
const OTHERS_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How long the download of a list may take. Milliseconds. */
const LIST_MS = 60_000;

/**
 * - `connect`: of `database.js`; `storage`: such as `localStorage`
 * - `mayKeep()`: whether somebody is signed in, whose evening it is
 * - `verify`: of `verify.js`
 * - `link`: of `link.js`: the requests, whether there is a network, and the server's time
 * - `newNonce()`: a name for a scan that no other has
 * - `onChange()`: called when counts, queue or lists have changed
 */
export function createEvening({ connect, storage, mayKeep = () => true, link, verify, newNonce, onChange }) {
  let keys = [];
  let keysUntil = 0;
  /** `performances`: whose tickets are let in: those that were `chosen`, and with `everything` all that is on. */
  let door = { performances: [], chosen: [], everything: false, gate: '', endsAt: 0 };
  let onUntil = 0;
  /** What else is on or was, to say what other tickets are for. */
  let others = [];
  let othersUntil = 0;

  const settings = () => [
    { name: 'door', ...door },
    { name: 'keys', keys },
    { name: 'others', others },
    statuses.setting(),
  ];
  const contents = () => ({ ...statuses.contents(), scans: queue.all(), settings: settings() });
  const database = createDatabase({ connect, contents, mayKeep, onChange });

  const statuses = createStatuses({
    database,
    list: (query) => link.get('/svc/v3/tickets/statuses', query),
    listAll: (query) => link.get('/svc/v3/tickets/statuses/all', query, { timeoutMs: LIST_MS }),
    now: link.now,
    onChange: (records) => {
      void queue.compare(records);
      onChange();
    },
  });

  const queue = createQueue({
    database,
    backup: createScanBackup(storage),
    send: (items) => link.control(items),
    async revert(ticketId, at) {
      if (await link.revert(ticketId, at)) statuses.set([[ticketId, printed]]);
    },
    onAnswers: (scans) => noteControls(scans.map(({ answer }) => answer)),
    onChange,
  });

  /** The controls that answers speak of: the next scan of the ticket is decided with them. */
  const noteControls = (answers) =>
    statuses.set(
      answers
        .filter(({ ticketId, control }) => ticketId && control)
        .map(({ ticketId, control: { at, gate } }) => [ticketId, { status: 'controlled', controlledAt: at, gate }]),
    );

  const printed = { status: 'printed', controlledAt: null, gate: null };
  const performanceIds = () => door.performances.map(({ id }) => id);
  /** A decision with what is known of the ticket's performance, so that it can be named. */
  const named = (decision) => {
    const known = [...door.performances, ...others].find(({ id }) => id === decision.performanceId);
    if (!known || decision.performance) return decision;
    const { name, type, venue, localStart, localEnd } = known;
    return { ...decision, performance: { name, type, venue, localStart, localEnd } };
  };
  const isReady = () => keys.length > 0 && statuses.asOf(performanceIds()) !== undefined;
  const remember = (name, value) => database.write({ settings: { put: [{ name, ...value }] } }).catch(() => undefined);

  /** The server's answer to a scan, as of its own time; undefined without one in time. */
  const ask = async (scan) => {
    const { at: _, offline: __, ...item } = itemOf(scan);
    const [answer] = await link.control([item], { timeoutMs: PATIENCE_MS }).catch(() => []);
    return answer;
  };

  /** The same, also where the server alone knows for which of this door's performances the ticket is. */
  const askAtDoor = async (scan) => {
    const answer = await ask(scan);
    const { reason, performanceId } = answer ?? {};
    if (reason !== 'ticket_other_performance' || !performanceIds().includes(performanceId)) return answer;
    const again = { ...scan, nonce: newNonce(), performanceId };
    queue.ask(again);
    const second = await ask(again);
    if (second) queue.settle(again.nonce);
    return second;
  };

  /** Of the texts that the keys of a hand scanner can mean, the one that is a barcode; a signature decides. */
  const barcodeOf = async ({ text, candidates = [text] }) => {
    const texts = candidates.map(scannedText);
    for (const one of texts) if (await verify(one, keys)) return one;
    return texts.find(isBarcode) ?? scannedText(text);
  };

  /** Keeps what this phone refused for its own list: it is not sent, and shown also if it cannot be kept. */
  const note = ({ barcode: _, ...scan }, shown) =>
    queue.add({ ...scan, nonce: newNonce(), shown, isAsked: false, answer: shown }).catch(() => undefined);

  /** Decides a scan: by the server, and without its answer alone. Resolves to what is shown. */
  const scanOne = async (read) => {
    const barcode = read.text === undefined ? undefined : await barcodeOf(read);
    const ticket = barcode === undefined ? { ticketId: read.ticketId } : await verify(barcode, keys);
    const ticketId = ticket?.ticketId ?? null;
    const [admission, status] = [queue.admissionOf(ticketId), statuses.get(ticketId)];
    const known = {
      ticket,
      status,
      admission,
      performanceIds: performanceIds(),
      isReady: isReady(),
      now: link.now(),
    };
    const alone = named(decide(known));
    const isHere = performanceIds().includes(alone.performanceId);
    const scan = {
      nonce: newNonce(),
      ...(barcode === undefined ? {} : { barcode }),
      ticketId,
      performanceId: (isHere ? alone.performanceId : performanceIds()[0]) ?? null,
      gate: door.gate || null,
      at: new Date(link.now()).toISOString(),
      isUndone: false,
      contradiction: null,
    };
    const { length } = barcode ?? ticketId;
    // A ticket whose admission waits here is inside, whatever the server knows.
    const isAsked = link.isUp() && !admission && length > 0 && length <= MAX_TEXT;
    // Whatever is shown must be known here: an admission that nobody saw is taken back.
    if (isAsked) queue.ask({ ...scan, shown: alone });
    const answer = isAsked ? await askAtDoor({ ...scan, shown: alone }) : undefined;
    if (answer) {
      const shown = named(shownOf(answer));
      const { barcode: __, ...kept } = scan;
      await queue.add({ ...kept, ticketId: answer.ticketId ?? ticketId, shown, isAsked, answer });
      noteControls([answer]);
      return { ...shown, nonce: scan.nonce, isAlone: false };
    }
    // What the server may have admitted although this phone does not is taken back.
    const isRefused = alone.result !== 'admitted';
    const isUndone = isAsked && isRefused;
    const kept = { ...scan, shown: alone, isAsked, isUndone, answer: null };
    if (!isRefused) await queue.add(kept);
    if (isUndone) await queue.add(kept).catch(() => undefined);
    if (isRefused) await note(scan, alone);
    return { ...alone, nonce: scan.nonce, isAlone: true };
  };

  /** At a door of everything that is valid: what is on now, as time goes on. Without an answer it stays as it was. */
  const followWhatIsOn = async () => {
    if (!door.everything || link.now() < onUntil) return;
    const own = door;
    const on = await link.getAll('/svc/v3/catalog/programme');
    // Another door was chosen meanwhile.
    if (door !== own) return;
    onUntil = link.now() + ON_MS;
    const chosenIds = door.chosen.map(({ id }) => id);
    const performances = [...door.chosen, ...on.filter(({ id }) => !chosenIds.includes(id))];
    door = { ...door, performances, endsAt: Math.max(door.endsAt, link.now() + KEPT_MS) };
    await remember('door', door);
    statuses.keep(performanceIds());
  };

  /** Reads which performances there are around today; without an answer tickets for them are not named. */
  const readOthers = async () => {
    if (link.now() < othersUntil) return;
    othersUntil = link.now() + OTHERS_MS;
    const from = new Date(link.now() - 2 * DAY_MS).toISOString();
    const to = new Date(link.now() + 7 * DAY_MS).toISOString();
    const read = await link.getAll('/svc/v3/catalog/programme', { from, to }).catch(() => undefined);
    if (!read) return;
    others = read.map(({ id, name, type, venue, localStart, localEnd }) => ({
      ...{ id, name, type, venue, localStart, localEnd },
    }));
    await remember('others', { others });
  };

  let last = Promise.resolve();

  return {
    queue,
    statuses,
    /** Loads what was kept; what an earlier evening has left is deleted, but for scans that were not sent. */
    async open() {
      const records = await database.open();
      const known = new Map(records.settings.map((one) => [one.name, one]));
      door = { ...door, ...known.get('door') };
      if (door.chosen.length === 0 && !door.everything) door.chosen = door.performances;
      keys = known.get('keys')?.keys ?? [];
      others = known.get('others')?.others ?? [];
      statuses.open(records);
      await queue.open(records.scans);
      if (door.performances.length > 0 && link.now() > door.endsAt) await this.choose([], door.gate);
    },
    door: () => door,
    /** Begins an evening at a door. */
    async choose(chosen, gate, { everything = false } = {}) {
      const starts = chosen.map(({ startDate }) => Date.parse(startDate));
      const endsAt = Math.max(link.now(), ...starts) + KEPT_MS;
      door = { performances: chosen, chosen, everything, gate, endsAt };
      onUntil = 0;
      await remember('door', door);
      statuses.keep(performanceIds());
      if (chosen.length === 0 && !everything) await queue.forget();
      onChange();
    },
    /** Sends what waits, then loads keys and statuses; rejects without a network. */
    async synchronise() {
      await queue.flush();
      await followWhatIsOn();
      if (performanceIds().length === 0) return;
      if (!isReady() || link.now() > keysUntil) {
        ({ keys } = await link.get('/svc/v3/tickets/verification-key'));
        keysUntil = link.now() + KEYS_MS;
        await remember('keys', { keys });
      }
      for (const id of performanceIds()) await statuses.refresh(id);
      await readOthers();
      onChange();
    },
    /** Whether this phone keeps nothing at the moment. */
    isLost: database.isLost,
    /** Whether this phone can decide alone. */
    isReady,
    asOf: () => statuses.asOf(performanceIds()),
    /**
     * Decides what a scanner has read (`{text}`, of a hand scanner also `candidates`) or somebody has typed
     * (`{ticketId}`), one after the other.
     */
    scan(read) {
      last = last.catch(() => undefined).then(() => scanOne(read));
      return last;
    },
    /** Takes back an admission. */
    async undo(nonce) {
      const scan = queue.all().find((one) => one.nonce === nonce);
      if (scan?.answer) statuses.set([[scan.ticketId, printed]]);
      await queue.undo(nonce);
      await queue.flush().catch(() => undefined);
    },
    /** Deletes everything, as at the end of the work. */
    async forget() {
      await queue.forget(true);
      await this.choose([], door.gate);
      [keys, others, othersUntil] = [[], [], 0];
      await database.write({ settings: { remove: ['keys', 'others'] } }).catch(() => undefined);
    },
  };
}

const shownOf = ({ place, seatCategory = null, performance = null, ...answer }) => ({
  ...answer,
  place: place && { label: place.label, row: place.row, seat: place.seat },
  seatCategory,
  performance,
  isNew: false,
});
