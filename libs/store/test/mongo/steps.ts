import { type Thing, things } from '../../src/conformance/subject.ts';
import type { IdempotencyRecord, OutboxEvent, Store } from '../../src/index.ts';
import { IdempotencyKeyTaken } from '../../src/index.ts';

/** One client's requests, with their own ids and keys, so that they can be repeated after a crash. */
export interface Scenario {
  readonly id: string;
  readonly institution: string;
}

const later = () => Date.now() + 3_600_000;
const fact = (n: number) => ({ type: 'thing.changed', data: { n } });

/** Executes a request as the HTTP layer does: once per key, however often it is repeated. */
const request = async (
  store: Store,
  key: string,
  effect: (idempotencyRecord: IdempotencyRecord<Thing>) => Promise<unknown>,
) => {
  if (await store.idempotency.find(key)) return;
  const answer = () => ({ status: 200, headers: {}, body: { key } });
  try {
    await effect({ key, fingerprint: 'print', expiresAt: later(), answer });
  } catch (error) {
    if (!(error instanceof IdempotencyKeyTaken)) throw error;
  }
};

/** Publishes the pending events in order, one at a time; `publish` is called before each is confirmed. */
const relay = async (store: Store, { institution }: Scenario, publish: (event: OutboxEvent) => void) => {
  const pending = (await store.outbox.pending(100_000)).filter((one) => one.institution === institution);
  for (const event of pending) {
    publish(event);
    await store.outbox.done([event.id]);
  }
};

/**
 * Insert, update, claim, a refusal, delete, with a relay between and after them. To be run again after a crash, as a
 * restarted process and a client that repeats its requests would do together.
 */
export const runScenario = async (
  store: Store,
  scenario: Scenario,
  publish: (event: OutboxEvent) => void,
): Promise<void> => {
  const { id, institution } = scenario;
  const mine = store.collection(things).of(institution);
  await request(store, `${id}-create`, (idempotencyRecord) =>
    mine.insert({ id, name: 'new', email: `${id}@example.org` }, { idempotencyRecord, events: [fact(1), fact(2)] }),
  );
  await request(store, `${id}-change`, (idempotencyRecord) =>
    mine.update(id, (current) => ({ next: { ...current, name: 'changed' }, events: [fact(3)] }), {
      idempotencyRecord,
    }),
  );
  await relay(store, scenario, publish);
  if ((await mine.count({ name: id })) === 0) {
    await mine.claim({ where: { show: id, state: 'free' }, set: { state: 'held', name: id }, limit: 1 });
  }
  await request(store, `${id}-refused`, (record) =>
    store.idempotency.remember(record, { status: 409, headers: {}, body: null }),
  );
  await request(store, `${id}-close`, (idempotencyRecord) =>
    mine.update(id, (current) => ({ next: { ...current, name: 'closed' }, events: [fact(4)] }), {
      idempotencyRecord,
    }),
  );
  await mine.delete(id);
  await relay(store, scenario, publish);
};
