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
import { pointsIn } from '../deployment/crash-points.ts';
import { killAtEach } from '../deployment/killing.ts';
import type { Check } from '../invariants/verdict.ts';
import type { Entry } from '../round/journal.ts';
import { beginRound, buyersOf, type Context, type Scenario } from '../round/round.ts';
import { openPointOfSale } from '../round/stage.ts';
import { during } from '../round/traffic.ts';
import { mustBeReached, pointsOf, roundsOf } from './kills.ts';

const BUYERS = 5;
const HOLD_SECONDS = 20;
/** The hold of orders that are paid too late, and of those that expire. */
const BRIEF_SECONDS = 1;
/** Longer than a brief hold. */
const LATE_MS = 2_500;
/** Between two performances that are put on sale, and between two tokens. */
const PAUSE_MS = 700;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Checks that contacts are as the answers to their client say, and erased for good. */
const checkContacts = async ({ api }: Context, contacts: readonly KnownContact[], check: Check): Promise<void> => {
  for (const { contactNumber, phone, erased } of contacts) {
    const contact = await must(api, `/svc/v3/contacts/individuals/${contactNumber}`);
    const text = () => `contact ${contactNumber} has phone ${contact.phone}, and its erasure is ${erased}`;
    if (erased === 'ok') check.that('acknowledged', contact.erasedAt !== null && contact.phone == null, text);
    else if (erased === undefined && phone !== undefined) check.that('acknowledged', contact.phone === phone, text);
  }
};

const checkPerformances = async ({ api }: Context, known: readonly KnownPerformance[], check: Check): Promise<void> => {
  for (const { id, startDate } of known) {
    if (startDate === undefined) continue;
    const stored = await must(api, `/svc/v3/catalog/performances/${id}`);
    const text = () => `performance ${id} starts ${stored.startDate}, ${startDate} was acknowledged`;
    check.that('acknowledged', Date.parse(stored.startDate) === Date.parse(startDate), text);
  }
};

/** Checks that acknowledged refunds are recorded once, and no others. */
const checkRefunds = async ({ api }: Context, entries: readonly Entry[], check: Check): Promise<void> => {
  const refunds = Map.groupBy(
    entries.filter(({ action }) => action === 'refund'),
    ({ subject }) => subject,
  );
  for (const [orderId, own] of refunds) {
    const { items } = await must(api, `/svc/v3/orders/${orderId}/refunds`);
    const least = own.filter(({ outcome }) => outcome === 'ok').length;
    const most = own.filter(({ outcome, unknownTries }) => outcome !== 'refused' || unknownTries > 0).length;
    const fits = items.length >= least && items.length <= most;
    const text = () => `${orderId} has ${items.length} refunds, ${least} of ${most} were acknowledged`;
    check.that('acknowledged', fits, text);
  }
};

const points = pointsIn('command');

/** Partners, visitors and an institution use every other command while processes are killed at eight of its steps. */
export const commands: Scenario = {
  name: 'commands',
  about:
    'SIGKILL at eight steps a round of every other command and reaction: lines, extensions, payments, refunds, replacements, contacts, carts, tokens, the catalog',
  rounds: roundsOf(points),
  async play(context) {
    const { api, deployment, random, reference } = context;
    const round = await beginRound(context);
    const { hall } = round;
    const shop = await openShop(deployment, api, reference, hall, HOLD_SECONDS);
    const serviceHost = await openPointOfSale(api, `${reference}-brief`, hall, BRIEF_SECONDS);
    const brief = { serviceHost, holdMs: LATE_MS };
    const contacts: KnownContact[] = [];
    const performances: KnownPerformance[] = [];
    const visit = openVisit(deployment);
    const buyers = buyersOf(context, round, BUYERS);
    const clients = (enough: () => boolean) => [
      ...buyers.map((buyer, index) => {
        const own = random.fork(`commands ${index}`);
        return inTurn((turn) => commandsInTurn({ api, buyer, hall, brief, contacts }, own.fork(`${turn}`)), enough);
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
    const missed = await during(round, clients, () => killAtEach(context, round, pointsOf(context, points)));
    round.alsoTrue = async ({ entries }, check) => {
      mustBeReached(missed, check);
      await checkContacts(context, contacts, check);
      await checkPerformances(context, performances, check);
      await checkRefunds(context, entries, check);
    };
    return round;
  },
};
