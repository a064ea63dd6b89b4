import { must, openVisit } from '../client/api.ts';
import {
  browse,
  commandsInTurn,
  type KnownContact,
  type KnownPerformance,
  managePerformance,
  requestToken,
} from '../client/commands.ts';
import { openShop } from '../client/shop.ts';
import { inTurn } from '../client/trade.ts';
import { type CrashPointName, commandPointNames } from '../deployment/crash-points.ts';
import { killAt } from '../deployment/killing.ts';
import type { Check } from '../invariants/verdict.ts';
import type { Entry } from '../round/journal.ts';
import { beginRound, buyersOf, type Context, leave, type Round, type Scenario } from '../round/round.ts';
import { openPointOfSale } from '../round/stage.ts';

const BUYERS = 5;
const HOLD_SECONDS = 20;
/** The hold of orders that are paid too late, and of those that expire. */
const BRIEF_SECONDS = 1;
/** Longer than a brief hold. */
const LATE_MS = 2_500;
/** Between two performances that are put on sale, and between two tokens. */
const PAUSE_MS = 700;

/** Some commands are the last of many of their client: a busy machine needs longer to reach them. */
const REACH_MS = 90_000;

const nothingMeanwhile = async (): Promise<void> => undefined;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Checks that contacts are as their client was told, and erased for good. */
const checkContacts = async ({ api }: Context, contacts: readonly KnownContact[], check: Check): Promise<void> => {
  for (const { contactNumber, phone, erased } of contacts) {
    const contact = await must(api, `/svc/v3/contacts/individuals/${contactNumber}`);
    if (erased === 'ok') {
      const gone = contact.erasedAt !== null && contact.phone == null;
      check.that('I2', gone, () => `contact ${contactNumber} has data, its erasure was acknowledged`);
    } else if (erased === undefined && phone !== undefined) {
      check.that('I2', contact.phone === phone, () => `contact ${contactNumber} has phone ${contact.phone}`);
    }
  }
};

const checkPerformances = async (
  { api }: Context,
  performances: readonly KnownPerformance[],
  check: Check,
): Promise<void> => {
  for (const { id, startDate } of performances) {
    if (startDate === undefined) continue;
    const stored = await must(api, `/svc/v3/catalog/performances/${id}`);
    const text = () => `performance ${id} starts ${stored.startDate}, ${startDate} was acknowledged`;
    check.that('I2', Date.parse(stored.startDate) === Date.parse(startDate), text);
  }
};

/** Checks that acknowledged refunds are recorded once, and no others. */
const checkRefunds = async ({ api }: Context, entries: readonly Entry[], check: Check): Promise<void> => {
  const refunds = entries.filter(({ action }) => action === 'refund');
  for (const orderId of new Set(refunds.flatMap(({ subject }) => subject ?? []))) {
    const { items } = await must(api, `/svc/v3/orders/${orderId}/refunds`);
    const own = refunds.filter(({ subject }) => subject === orderId);
    const least = own.filter(({ outcome }) => outcome === 'ok').length;
    const most = own.filter(({ outcome, unknownTries }) => outcome !== 'refused' || unknownTries > 0).length;
    const fits = items.length >= least && items.length <= most;
    check.that('I2', fits, () => `${orderId} has ${items.length} refunds, ${least} of ${most} were acknowledged`);
  }
};

const playCommands = async (context: Context, points: readonly CrashPointName[]): Promise<Round> => {
  const { api, deployment, random, reference } = context;
  const round = await beginRound(context, NAME, [
    { code: 'FLOOR', capacity: 900 },
    { code: 'FREE', capacity: 300, amount: 0 },
  ]);
  const { hall } = round;
  const shop = await openShop(deployment, api, reference, hall, HOLD_SECONDS);
  const serviceHost = await openPointOfSale(api, `${reference}-brief`, hall, BRIEF_SECONDS);
  const brief = { serviceHost, holdMs: LATE_MS };
  const contacts: KnownContact[] = [];
  const performances: KnownPerformance[] = [];
  let over = false;
  const enough = () => over;
  const visit = openVisit(deployment);
  const clients = [
    ...buyersOf(context, round, BUYERS).map((buyer, index) => {
      const own = random.fork(`commands ${index}`);
      const options = { api, buyer, hall, brief, contacts };
      return inTurn((turn) => commandsInTurn(options, own.fork(`${turn}`)), enough);
    }),
    ...[0, 1].map((index) => inTurn((turn) => browse(visit, shop, random.fork(`visit ${turn} of ${index}`)), enough)),
    inTurn(async (turn) => {
      const made = await managePerformance(api, `${reference}-${turn}`, 40 + turn);
      if (made) performances.push(made);
      await pause(PAUSE_MS);
    }, enough),
    inTurn(async () => {
      await requestToken(visit, deployment.partner);
      await pause(PAUSE_MS);
    }, enough),
  ];
  const missed: CrashPointName[] = [];
  const strike = async (point: CrashPointName): Promise<void> => {
    const nth = random.fork(point).between(1, 2);
    if (!(await killAt(point, nth, deployment, round, nothingMeanwhile, REACH_MS))) missed.push(point);
  };
  try {
    await Promise.all(points.map(strike));
  } finally {
    over = true;
    leave(round, clients);
  }
  round.alsoTrue = async ({ entries }, check) => {
    check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
    await checkContacts(context, contacts, check);
    await checkPerformances(context, performances, check);
    await checkRefunds(context, entries, check);
  };
  return round;
};

const NAME = 'commands';

/** A scenario of kills at these steps of the further commands and reactions. */
export const commandKillsAt = (points: readonly CrashPointName[]): Scenario => ({
  name: NAME,
  about: `every other command, SIGKILL at ${points.join(', ')}`,
  play: (context) => playCommands(context, points),
});

/** Partners, visitors and an institution use every other command while processes are killed at eight of its steps. */
export const commands: Scenario = {
  name: NAME,
  about: `every other command, SIGKILL at ${commandPointNames.length} named steps`,
  play: (context) => playCommands(context, context.random.shuffled(commandPointNames).slice(0, 8)),
};
