import { randomUUID } from 'node:crypto';
import type { Call, Client } from '@boxoffice/testkit';
import { openApi } from '../client/api.ts';
import { isBusy } from '../client/busy.ts';
import { createdBy, openBuyer } from '../client/buyer.ts';
import { trade } from '../client/trade.ts';
import type { OrderView, TicketView } from '../client/views.ts';
import { setUp } from '../deployment/installation.ts';
import { createJournal, type Journal } from '../round/journal.ts';
import { all } from '../round/observed-state.ts';
import { beginRound, buyersOf, type Context, leave, type Round, type Scenario } from '../round/round.ts';
import { anyPlaces, type Hall, openHall } from '../round/stage.ts';

const NAME = 'neighbours';

interface Item {
  readonly id: string;
}

/** The second institution: its client, its performance and its own sales. */
interface Neighbour {
  readonly api: Client;
  readonly hall: Hall;
  readonly journal: Journal;
}

/** What the neighbour learned or changed of the first institution, in words. */
type Leaks = Set<string>;

const idsOf = (items: readonly Item[]): string[] => items.map(({ id }) => id).sort();

/** The ids of everything that the neighbour's journal mentions: its orders and their tickets. */
const ownIds = ({ entries }: Journal): Set<string> => {
  const orders = entries.flatMap(({ answer }) => (answer as OrderView | null) ?? []);
  return new Set(orders.flatMap(({ id, lines = [] }) => [id, ...lines.flatMap(({ ticketId }) => ticketId ?? [])]));
};

const post = (body: object): Call => ({ method: 'POST', body, headers: { 'idempotency-key': randomUUID() } });

/** Tries to read, change and sell what belongs to the first institution: nothing of it may exist for the neighbour. */
const trespass = async ({ api }: Neighbour, { hall, journal }: Round, leaks: Leaks): Promise<void> => {
  const made = journal.entries.findLast((entry) => createdBy(entry) !== undefined);
  const order = made && createdBy(made);
  const ticketId = journal.entries.flatMap(({ answer }) => (answer as OrderView | null)?.lines ?? []).at(-1)?.ticketId;
  const performance = `/svc/v3/catalog/performances/${hall.performanceId}`;
  const tries: readonly (readonly [string, Call?])[] = [
    [performance],
    [`${performance}/places`],
    ['/svc/v3/orders', post({ items: [anyPlaces(hall, 1)] })],
    ...(order
      ? ([
          [`/svc/v3/orders/${order.id}`],
          [`/svc/v3/orders/${order.id}/confirmation`, post({ onAccount: true })],
          [`/svc/v3/orders/${order.id}/cancellation`, post({ reason: 'not ours' })],
        ] as const)
      : []),
    ...(ticketId
      ? ([[`/svc/v3/tickets/${ticketId}`], [`/svc/v3/tickets/${ticketId}/control`, post({ gate: 'A' })]] as const)
      : []),
  ];
  for (const [path, call] of tries) {
    const reply = await api(path, call);
    const refused = reply.status === 404 || (path === '/svc/v3/orders' && reply.status >= 400);
    if (!refused && !isBusy(reply)) leaks.add(`${call?.method ?? 'GET'} ${path} answered ${reply.status}`);
  }
};

/** Lists orders and tickets while both institutions sell. */
const look = async ({ api }: Neighbour, first: Round, leaks: Leaks): Promise<void> => {
  const [orders, tickets] = await Promise.all([
    all<OrderView>(api, '/svc/v3/orders'),
    all<TicketView>(api, '/svc/v3/tickets'),
  ]);
  const theirs = ownIds(first.journal);
  for (const { id } of [...orders, ...tickets]) if (theirs.has(id)) leaks.add(`a list of the neighbour contains ${id}`);
};

const openNeighbour = async ({ deployment, reference }: Context): Promise<Neighbour> => {
  const partner = await setUp(deployment.data, `neighbour-${randomUUID().slice(0, 8)}`);
  const api = openApi({ address: deployment.address, partner });
  const hall = await openHall(api, `${reference} neighbour`, [{ code: 'FLOOR', capacity: 100 }]);
  return { api, hall, journal: createJournal() };
};

/** Two institutions sell at once; each has only its own data, and the lists of the second one are complete. */
export const neighbours: Scenario = {
  name: NAME,
  about: 'a second institution sells, and tries to read and change what belongs to the first',
  async play(context) {
    const { random, reference, size } = context;
    const round = await beginRound(context, NAME, [{ code: 'FLOOR', capacity: 300 }]);
    const neighbour = await openNeighbour(context);
    const { api, hall, journal } = neighbour;
    const leaks: Leaks = new Set();
    let over = false;
    const [count, orders] = size === 'short' ? [3, 4] : [6, 10];
    const traffic = buyersOf(context, round, count, true).map((buyer, index) =>
      trade(buyer, round.hall, random.fork(`trade ${index}`), () => over),
    );
    leave(round, traffic);
    const own = { api, journal, random: random.fork('neighbour'), reference: `${reference}-n`, persistent: true };
    try {
      await trade(openBuyer(own), hall, random.fork('own trade'), (done) => done >= orders);
      for (let turn = 0; turn < orders; turn++) {
        await trespass(neighbour, round, leaks);
        await look(neighbour, round, leaks);
      }
    } finally {
      over = true;
    }
    round.alsoTrue = async (_, check) => {
      for (const leak of leaks) check.that('round', false, () => `another institution's data: ${leak}`);
      const made = journal.entries.flatMap((entry) => createdBy(entry) ?? []);
      const wanted = [
        ['orders', made],
        ['tickets', await all<TicketView>(api, `/svc/v3/tickets?performanceId=${hall.performanceId}`)],
        ['catalog/tariffs', [{ id: hall.tariffId }]],
      ] as const;
      for (const [list, expected] of wanted) {
        const found = await all<Item>(api, `/svc/v3/${list}`);
        const same = idsOf(found).join() === idsOf(expected).join();
        const text = () => `another institution's data: ${found.length} ${list} are listed, ${expected.length} are own`;
        check.that('round', same, text);
      }
    };
    return round;
  },
};
