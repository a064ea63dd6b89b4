import { randomUUID } from 'node:crypto';
import { catalog, places } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { type DeadLetter, declared, type QueueDepth } from '@boxoffice/messaging';
import { orders } from '@boxoffice/orders';
import { collection, type Document, type OutboxEvent, type Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import { type DataLocation, openStores } from '../deployment/installation.ts';
import type { Hold } from '../invariants/evidence.ts';
import { patiently } from './patiently.ts';

/** The facts of an installation as an operator reads them, beside its processes. */
export interface Inspection {
  /** Events of every service that are not published yet, of each service at most `limit` (default 1,000). */
  pending(limit?: number): Promise<OutboxEvent[]>;
  deadLetters(): Promise<DeadLetter[]>;
  /** The messages that wait in each queue. */
  depths(): Promise<readonly QueueDepth[]>;
  dropDeadLetters(): Promise<void>;
  /**
   * Publishes a fact: over RabbitMQ, or, with the in-process bus, through the outbox of orders, as a process leaves it
   * that dies after its write. Returns its key.
   */
  plant(institution: string, type: string, data: object): Promise<string>;
  /**
   * Publishes bytes that are no message to the queues of a fact, over RabbitMQ, since the in-process bus has no bytes.
   * Returns the id under which they become dead letters.
   */
  plantBytes(type: string): Promise<string>;
  /** Who holds the places of a performance, and until when. */
  holds(performanceId: string): Promise<readonly Hold[]>;
  /** The stored documents of an institution that have one of the ids, each as one line. */
  documents(institution: string, ids: readonly string[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

type Planted = Document & { readonly type: string };
const planted = collection<Planted>('faults_planted');

/** On MongoDB, an event waits in the document that it reports: a store finds those of the collections that it has. */
const publishers = [catalog, contacts, orders, tickets];

/** Opens an inspection. Close it soon: a restarted process must find the files as the crash left them. */
export const inspect = async (location: DataLocation): Promise<Inspection> => {
  const engines = await openStores(location);
  const stores = new Map<string, Store>();
  for (const { name, collections } of publishers)
    stores.set(name, await engines.store(name, name === 'orders' ? [...collections, planted] : collections));
  return {
    async pending(limit = 1_000) {
      const all = await patiently(() => Promise.all([...stores.values()].map(({ outbox }) => outbox.pending(limit))));
      return all.flat();
    },
    deadLetters: () => engines.deadLetters.list(),
    depths: () => engines.bus.depths(declared.queues),
    async dropDeadLetters() {
      for (const { id } of await engines.deadLetters.list()) await engines.deadLetters.drop(id);
    },
    async plant(institution, type, data) {
      const id = `ord_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
      if (location.amqpUrl === undefined) {
        const store = stores.get('orders') as Store;
        await store
          .collection(planted)
          .of(institution)
          .insert({ id, type }, { events: [{ type, data }] });
      } else {
        const occurredAt = new Date().toISOString();
        await engines.bus.publish({ id: randomUUID(), type, key: id, version: 1, institution, occurredAt, data });
      }
      return id;
    },
    async plantBytes(type) {
      const id = randomUUID();
      const occurredAt = new Date().toISOString();
      const message = { id, type, key: id, version: 1, institution: '', occurredAt, data: {} };
      const unreadable = { ...message, toJSON: () => 'nonsense' };
      await engines.bus.publish(unreadable);
      return id;
    },
    async holds(performanceId) {
      const where = { performanceId, state: 'held', freeFrom: { gt: Date.now() } };
      const stored = stores.get('catalog')?.collection(places).acrossInstitutions;
      const held = (await patiently(async () => stored?.find({ where }))) ?? [];
      return held.map(({ id, holder, freeFrom }) => ({ placeId: id, holder: holder ?? '', until: freeFrom }));
    },
    async documents(institution, ids) {
      const found: string[] = [];
      for (const { name, collections } of publishers) {
        for (const one of collections) {
          const documents = stores.get(name)?.collection<Document>(one).of(institution);
          for (const id of ids) {
            const document = await documents?.get(id);
            if (document) found.push(`${name} ${one.name} ${JSON.stringify(document)}`);
          }
        }
      }
      return found;
    },
    close: () => engines.close(),
  };
};
