import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { Store } from '../port.ts';
import { claims } from './claims.ts';
import { crashes } from './crashes.ts';
import { documents, uniqueness, updates } from './documents.ts';
import { idempotency } from './idempotency.ts';
import { idempotencyRecords } from './idempotency-records.ts';
import { leases, revisions, starts } from './instances.ts';
import { model } from './model.ts';
import { outbox } from './outbox.ts';
import { conditions, pages } from './queries.ts';
import { shapes } from './shapes.ts';
import { type Check, type Engine, type Subject, suiteCollections } from './subject.ts';
import { boundsOfReaders, tenants } from './tenants.ts';
import { work } from './work.ts';

export { explainQuery } from '../sqlite/plans.ts';
export type { Check, ChildEngine, Engine, Subject, Thing } from './subject.ts';
export { others, suiteCollections, things, waitUntil } from './subject.ts';

export const topics: Readonly<Record<string, readonly Check[]>> = {
  documents,
  conditions,
  tenants,
  boundsOfReaders,
  uniqueness,
  updates,
  shapes,
  claims,
  work,
  outbox,
  idempotencyRecords,
  idempotency,
  pages,
  starts,
  leases,
  revisions,
  crashes,
  model,
};

export async function openSubject(engine: Engine): Promise<Subject & { close(): Promise<void> }> {
  const opened: Store[] = [];
  const another = async () => {
    const store = await engine.open(suiteCollections);
    opened.push(store);
    return store;
  };
  const store = await another();
  const close = async () => {
    for (const one of opened.reverse()) await one.close();
    await engine.remove();
  };
  return { engine, store, another, close };
}

/** The checks of a topic share an engine, which is empty at first, with random ids and institutions. */
export function describeStoreConformance(name: string, openEngine: () => Promise<Engine>): void {
  describe(`${name} satisfies the contract of the store`, () => {
    for (const [topic, checks] of Object.entries(topics)) {
      describe(topic, () => {
        let subject: Awaited<ReturnType<typeof openSubject>>;
        beforeAll(async () => {
          subject = await openSubject(await openEngine());
        });
        afterAll(() => subject?.close());
        for (const check of checks) test(check.rule, () => check.run(subject), check.timeoutMs);
      });
    }
  });
}
