import { setTimeout as pause } from 'node:timers/promises';
import { type Client, waitUntil } from '@boxoffice/testkit';
import { findOrder } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import { faithful } from '../inside/orders.ts';
import { type Inspection, inspect } from '../round/inspection.ts';
import { beginRound, openBuyers, type Scenario } from '../round/round.ts';
import { buildAnyPlacesItem, type Hall, openPointOfSale } from '../round/stage.ts';
import { createPartners, createVisitors, repeatUntilEnough, runWithClients } from '../round/traffic.ts';

const poisons = ['order.cancelled', 'order.expired', 'tickets.cancelled', 'places.released'] as const;
const PER_POISON = 50;
/** Longer than any round needs for its deliveries. */
const LONGEST_MS = 300_000;
const LOOK_EVERY_MS = 200;
/** Deliveries of each fact at least, on average: of what was published before there is one. */
const DELIVERIES = 1.9;
const HOLD_SECONDS = 0.6;
/** While an order is not yet shown as expired. */
const LOOK_AGAIN_MS = 20;
const MOST_LOOKS = 100;

const hasArrived = async (inspection: Inspection): Promise<boolean> => {
  const [pending, depths] = await Promise.all([inspection.pending(), inspection.depths()]);
  return pending.length === 0 && depths.every(({ waiting }) => waiting === 0);
};

/** Pays an order that has just expired, so that copies of its expiry arrive after its sale. */
const payLate = async (api: Client, buyer: Buyer, hall: Hall, serviceHost: string): Promise<void> => {
  const order = getCreatedOrder(await buyer.create([buildAnyPlacesItem(hall, 1)], serviceHost));
  if (!order) return;
  await pause(Math.max(0, Date.parse(order.expiresAt ?? '') - Date.now()));
  // Paid before the expiry is written, it would not expire.
  for (let looks = 0; looks < MOST_LOOKS && (await findOrder(api, order.id))?.state !== 'expired'; looks += 1)
    await pause(LOOK_AGAIN_MS);
  await buyer.pay(order.id, order.total);
};

/** Every message arrives twice and out of order, and unreadable ones become dead letters; nothing else does. */
export const messages: Scenario = {
  name: 'messages',
  about:
    'every message arrives twice and out of order, also the expiry of orders that were paid since; unreadable ones',
  async play(context) {
    const { api, deployment, random, reference, size } = context;
    const [wanted, count] = size === 'short' ? [PER_POISON * poisons.length, 3] : [1_000, 6];
    const round = await beginRound(context, [
      { code: 'FLOOR', capacity: 1_000 },
      { code: 'FREE', capacity: 400, amount: 0 },
    ]);
    const serviceHost = await openPointOfSale(api, `${reference}-late`, round.hall, HOLD_SECONDS);
    const late = openBuyers({ ...context, random: random.fork('late') }, round, 2);
    const partners = createPartners(context, round, count);
    const visitors = await createVisitors(context, round, count);
    const inspection = await inspect(deployment.data);
    // What was published before is published once; it has arrived before anything is counted.
    await waitUntil(() => hasArrived(inspection), { what: 'the earlier facts to arrive', withinMs: LONGEST_MS });
    await deployment.arrived();
    await deployment.behave({ ...faithful, doubling: true, seed: random.next().toString() });
    const arrived: string[] = [];
    const look = async (): Promise<void> => void arrived.push(...(await deployment.arrived()));
    const { institution } = deployment.partner;
    const types = random.shuffle(poisons);
    const clients = (enough: () => boolean) => [
      ...partners(enough),
      ...visitors(enough),
      ...late.map((buyer) => repeatUntilEnough(() => payLate(api, buyer, round.hall, serviceHost), enough)),
    ];
    try {
      await runWithClients(round, clients, async () => {
        for (let count = 0; count < wanted / PER_POISON; count++) {
          const type = types[count % types.length] ?? poisons[0];
          round.planted.push(...(await inspection.plant(institution, type, random.chance(0.5))));
          round.faults.push(`unreadable ${type}`);
        }
        for (const end = Date.now() + LONGEST_MS; arrived.length < wanted && Date.now() < end; ) {
          await pause(LOOK_EVERY_MS);
          await look();
        }
      });
    } finally {
      await inspection.close();
    }
    round.alsoTrue = async (_, check) => {
      await look();
      const once = new Set(arrived).size;
      const text = () => `${arrived.length} deliveries of ${once} facts`;
      check.that('round', arrived.length >= wanted && arrived.length >= DELIVERIES * once, text);
    };
    round.afterwards = async () => {
      await deployment.behave(faithful);
      const operator = await inspect(deployment.data);
      await operator.dropDeadLetters();
      await operator.close();
    };
    return round;
  },
};
