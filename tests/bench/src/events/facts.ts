import { randomUUID } from 'node:crypto';
import { createContext, onFact } from '@boxoffice/events';
import type { Message } from '@boxoffice/messaging';
import { collection, type Document, type Store } from '@boxoffice/store';

const SECONDS = 3;

/** Facts that the consumer has in hand at once, as its queue says, and callers of the inserts. */
const AT_ONCE = 200;

interface Stored extends Document {
  readonly sequence: number;
  readonly resource: object;
  readonly data: object;
}

/** Documents of the size of an event, with its indexes. */
export const insertsCollection = collection<Stored>('inserts', [
  { name: 'sequence', fields: ['sequence'], unique: true },
  { name: 'resource', fields: ['resource.id', 'sequence'] },
]);

const data = {
  state: 'open',
  contactNumber: null,
  pointOfSale: null,
  performanceIds: ['prf_1'],
  currency: 'CHF',
  total: 100,
  paid: 0,
  due: 100,
  expiresAt: null,
  confirmedAt: null,
  cancellation: null,
};

/** The facts of an order, one after the other, as its publisher sends them. */
const factsOf = (order: string): Message[] =>
  ['order.created', 'order.changed', 'order.confirmed'].map((type, index) => {
    const position = (index + 1) * 10;
    const event = {
      type,
      resource: { type: 'order', id: order },
      version: index + 1,
      position,
      before: index === 0 ? null : position - 10,
      data,
    };
    return {
      id: randomUUID(),
      type: 'order.recorded',
      key: order,
      version: index + 1,
      institution: 'bench',
      occurredAt: new Date().toISOString(),
      data: { event },
    };
  });

/** Runs `step` from so many callers for some seconds; returns the sum of what it returned, per second. */
const rateOf = async (step: () => Promise<number>): Promise<number> => {
  const started = performance.now();
  const end = started + SECONDS * 1_000;
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const count = await step();
      done += count;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return (done * 1_000) / (performance.now() - started);
};

/** Facts a second made into events, and inserts a second of documents of their size. */
export const measureFacts = async (store: Store): Promise<{ facts: number; inserts: number }> => {
  const context = createContext({
    store,
    serviceSecret: 'benchmarks',
    publicUrl: 'https://tickets.example',
    retentionMs: Number.MAX_SAFE_INTEGER,
    logger: { warn: () => undefined },
  });
  const inserted = store.collection(insertsCollection).of('bench');
  let sequence = 0;
  const insert = async (): Promise<number> => {
    sequence += 1;
    const id = randomUUID();
    const resource = { type: 'order', id: `ord_${id}`, version: 1 };
    await inserted.insert({ id, sequence, resource, data });
    return 1;
  };
  const order = async (): Promise<number> => {
    const facts = factsOf(`ord_${randomUUID()}`);
    for (const fact of facts) await onFact(context, fact);
    return facts.length;
  };
  // The first turn of each warms up.
  await rateOf(insert);
  await rateOf(order);
  const inserts = await rateOf(insert);
  const facts = await rateOf(order);
  await context.tail.close();
  return { facts, inserts: (inserts + (await rateOf(insert))) / 2 };
};
