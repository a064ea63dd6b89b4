import { randomUUID } from 'node:crypto';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { declared } from '@boxoffice/messaging';
import { verify } from '@boxoffice/operator';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import { collection, type Document, type Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import { type DataLocation, openStores } from '../deployment/deployment.ts';
import type { Verdict } from '../invariants/verdict.ts';

export type Inspection = Awaited<ReturnType<typeof inspect>>;

type Planted = Document & { readonly type: string };
const planted = collection<Planted>('faults_planted');

const services = [authorizer, catalog, contacts, events, orders, payments, pos, tickets];

const NONSENSE = { nonsense: [null] };

/** A server that a fault or another program has overloaded says nothing about the product. */
const PATIENCE_MS = 120_000;

/** Opens an inspection. Close it soon: a restarted process must find the files as the crash left them. */
export async function inspect(location: DataLocation) {
  const engines = await patiently(() => openStores(location));
  const open = (service: (typeof services)[number], ...more: (typeof planted)[]): Promise<Store> =>
    patiently(() => engines.store(service.name, [...service.collections, ...more]));
  const stores = {
    authorizer: await open(authorizer),
    catalog: await open(catalog),
    contacts: await open(contacts),
    events: await open(events),
    orders: await open(orders, planted),
    payments: await open(payments),
    pos: await open(pos),
    tickets: await open(tickets),
  };
  const depths = () => engines.bus.depths(declared.queues);
  return {
    /**
     * The operator's check of everything stored; what looks wrong is read again for so long, and is wrong if it stays
     * unchanged for `settleMs` (default: a second, where nothing happens any more).
     */
    async check(patienceMs: number, settleMs = 1_000): Promise<Verdict> {
      const { counts, violations, undecided } = await verify({ stores, queues: depths, settleMs, patienceMs });
      const found = [...violations, ...undecided.map((one) => ({ ...one, text: `${one.text} (under way)` }))];
      return {
        checked: Object.values(counts).reduce((sum, count) => sum + count, 0),
        violations: found.map(({ invariant, text }) => ({ invariant: 'stored', text: `${invariant}: ${text}` })),
      };
    },
    /** Events of every service that are not published yet. */
    async pending() {
      const { catalog: ofCatalog, contacts: ofContacts, orders: ofOrders, tickets: ofTickets } = stores;
      const publishers = [ofCatalog, ofContacts, ofOrders, ofTickets];
      return (await patiently(() => Promise.all(publishers.map(({ outbox }) => outbox.pending(1_000))))).flat();
    },
    deadLetters: () => engines.deadLetters.list(),
    depths,
    async dropDeadLetters() {
      for (const { id } of await engines.deadLetters.list()) await engines.deadLetters.drop(id);
    },
    /**
     * Publishes a fact that no consumer can read: over RabbitMQ, there `asBytes` that are no message, or, with the
     * in-process bus, through the outbox of orders, as a process leaves it that dies after its write. Returns the key,
     * or the id, by which it is known as a dead letter of each queue that gets the type.
     */
    async plant(institution: string, type: string, asBytes = false): Promise<readonly string[]> {
      const id = randomUUID();
      const key = `ord_${id.replaceAll('-', '').slice(0, 20)}`;
      if (location.amqpUrl === undefined) {
        const written = stores.orders.collection(planted).of(institution);
        await written.insert({ id: key, type }, { events: [{ type, data: NONSENSE }] });
      } else {
        const occurredAt = new Date().toISOString();
        const message = { id, type, key, version: 1, institution, occurredAt, data: NONSENSE };
        await engines.bus.publish(asBytes ? Object.assign(message, { toJSON: () => 'nonsense' }) : message);
      }
      const name = asBytes && location.amqpUrl !== undefined ? id : key;
      return declared.queues.filter(({ types }) => types.includes(type)).map((queue) => `${queue.name} ${name}`);
    },
    async documents(ids: readonly string[]) {
      const found: string[] = [];
      for (const { name, collections } of services) {
        for (const one of collections) {
          const stored = stores[name as keyof typeof stores].collection<Document>(one).acrossInstitutions;
          for (const document of await stored.find({ where: { id: { in: [...ids] } } }))
            found.push(`${name} ${one.name} ${JSON.stringify(document)}`);
        }
      }
      return found;
    },
    close: () => engines.close(),
  };
}

const patiently = async <Result>(read: () => Promise<Result>): Promise<Result> => {
  for (const until = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await read();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
};
