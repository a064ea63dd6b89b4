import type { Store } from '../../port.ts';
import { declareJobs, FAR_MS, type WorkTask } from './work-jobs.ts';

// The program that work.ts starts: it makes work due, claims it, does it and ends it, and kills itself before a step.

const task = JSON.parse(process.argv[2] ?? '{}') as WorkTask;
const { openStore } = (await import(task.module)) as {
  openStore(settings: unknown, collections: readonly ReturnType<typeof declareJobs>[]): Promise<Store>;
};
const jobs = declareJobs(task.collection);
const store = await openStore(task.settings, [jobs]);
const handle = store.collection(jobs);
const mine = handle.of(task.institution);

let steps = 0;
const step = async <R>(act: () => Promise<R>): Promise<R> => {
  if (steps === task.diesBefore) process.kill(process.pid, 'SIGKILL');
  steps += 1;
  return act();
};

const id = `job-${task.diesBefore}`;
const now = Date.now();
await step(() => mine.insert({ id, done: 0 }));
await step(() => mine.update(id, (current) => ({ next: current, due: { first: now } })));
const claimed = await step(() => handle.acrossInstitutions.claimDue({ now, limit: 10, forMs: { first: FAR_MS } }));
for (const { document } of claimed) {
  const work = document.due?.first;
  await step(() => mine.update(document.id, (current) => ({ next: { ...current, done: current.done + 1 } })));
  if (work) await step(() => handle.acrossInstitutions.moveDue(document.id, 'first', work, null));
}
await step(async () => undefined);
await store.close();
