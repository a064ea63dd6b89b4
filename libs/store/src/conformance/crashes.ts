import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Store } from '../port.ts';
import { type Check, check, createId, createThing, getThings, type Scene, waitUntil } from './subject.ts';
import type { CrashTask } from './writers/crash-writer.ts';

interface Journal {
  /** Highest acknowledged version by document. */
  readonly wrote: Map<string, number>;
  readonly claimed: Map<string, string>;
  /** Document by idempotency key, acknowledged or not. */
  readonly tried: Map<string, string>;
}

const runAndKill = async (task: CrashTask, acknowledgements: number): Promise<Journal> => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const program = fileURLToPath(new URL(`./writers/crash-writer${extension}`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const journal: Journal = { wrote: new Map(), claimed: new Map(), tried: new Map() };
  let acknowledged = 0;
  for await (const line of createInterface(child.stdout)) {
    const [word, id = '', rest = ''] = line.split(' ');
    if (word === 'wrote') journal.wrote.set(id, Math.max(Number(rest), journal.wrote.get(id) ?? 0));
    if (word === 'claimed') journal.claimed.set(id, rest);
    if (word === 'try') journal.tried.set(id, rest);
    if (word === 'wrote' && ++acknowledged === acknowledgements) child.kill('SIGKILL');
  }
  await exited;
  assert.ok(acknowledged >= acknowledgements, `the writer ended after ${acknowledged} acknowledgements: ${complaint}`);
  return journal;
};

const snapshot = async (store: Store, institution: string) => ({
  documents: new Map((await getThings(store).of(institution).find()).map((one) => [one.id, one])),
  events: (await store.outbox.pending(1_000_000)).filter((one) => one.institution === institution),
});

/** An engine in another process has executed the commands that it received once nothing has changed for so long. */
const QUIET_MS = 400;

const waitUntilSettled = async (store: Store, institution: string) => {
  let last = '';
  let since = Date.now();
  let now = await snapshot(store, institution);
  await waitUntil(async () => {
    const at = Date.now();
    now = await snapshot(store, institution);
    const sum = `${[...now.documents.values()].reduce((total, one) => total + one.version, 0)} ${now.events.length}`;
    if (sum !== last) since = at;
    last = sum;
    if (at - since >= QUIET_MS) return true;
    await pause(50);
    return false;
  });
  return now;
};

const verify = async (store: Store, task: CrashTask, journals: readonly Journal[]) => {
  const { documents, events } = await waitUntilSettled(store, task.institution);
  const expectRemembered = async ([key, id]: readonly [string, string]) => {
    const found = await store.idempotency.find(key);
    assert.equal(found !== undefined, documents.has(id), `the idempotency record of ${id} and its write differ`);
  };
  for (const { wrote, claimed, tried } of journals) {
    for (const [id, version] of wrote)
      assert.ok((documents.get(id)?.version ?? 0) >= version, `acknowledged version ${version} of ${id} is lost`);
    for (const [id, claimer] of claimed) {
      const one = documents.get(id);
      assert.ok(one?.state === 'held' && one.name === claimer, `the acknowledged claim of ${id} is lost`);
    }
    await Promise.all([...tried].map(expectRemembered));
  }
  const versions = new Map<string, number[]>();
  for (const { key, version } of events) versions.set(key, [...(versions.get(key) ?? []), version]);
  for (const key of versions.keys()) assert.ok(documents.has(key), `a ghost event of ${key}`);
  for (const one of documents.values()) {
    const expected = one.show === task.show ? [] : Array.from({ length: one.version }, (_, i) => i + 1);
    assert.deepEqual(versions.get(one.id) ?? [], expected, `events of ${one.id}`);
  }
  const counter = documents.get(task.counter);
  assert.equal(counter?.count, (counter?.version ?? 0) - 1);
};

/** A writer for each number of acknowledgements, all at once, killed after so many; returns the stored data. */
const crash = async (scene: Scene, ...acknowledgements: readonly number[]) => {
  const { store, another, institution, mine, engine } = scene;
  const [show, counter] = [createId('show'), createId('counter')];
  await mine.insert(createThing({ id: counter, count: 0 }), { events: [{ type: 'thing.changed', data: { n: 0 } }] });
  await mine.insertMany(Array.from({ length: 400 }, (_, i) => createThing({ show, state: 'free', spread: i / 400 })));
  const task = { ...engine.child, institution, show, counter };
  const journals = await Promise.all(acknowledgements.map((count) => runAndKill(task, count)));
  for (const one of [store, await another()]) await verify(one, task, journals);
};

export const crashes: readonly Check[] = [
  check(
    'a writer killed after 150 acknowledged writes loses none of them, and no event or idempotency record',
    (scene) => crash(scene, 150),
  ),
  check(
    'three concurrent writers that are killed soon or late lose none of their writes, and do not claim one another’s documents',
    (scene) => crash(scene, 7, 100, 300),
  ),
];
