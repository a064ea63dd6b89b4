import type { Message } from '@boxoffice/messaging';
import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { instrumentStore } from '../src/metrics.ts';
import { noteQueue, notes, openEmbeddedEngines, openNotes } from './fixture.ts';

const scrape = async (metrics: Metrics) => {
  const lines = (await metrics.text()).text.split('\n');
  return (sample: string): number | undefined => {
    const line = lines.find((one) => one.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length));
  };
};

test('calls of the store are timed, and retried updates are counted', async () => {
  const metrics = await createMetrics();
  const engines = await openEmbeddedEngines();
  const store = instrumentStore(await engines.store('notes', [notes]), metrics, 'notes');
  const collection = store.collection(notes).of('i');
  await collection.insert({ id: 'n', text: '' });
  await Promise.all(
    ['a', 'b', 'c'].map((text) => collection.update('n', (note) => ({ next: { ...note, text: note.text + text } }))),
  );
  const refuse = () => {
    throw new Error('planted');
  };
  await expect(collection.update('n', refuse)).rejects.toThrow('planted');
  expect((await store.collection(notes).acrossInstitutions.get('n'))?.text).toHaveLength(3);
  await store.lease('work', 1_000);
  const value = await scrape(metrics);
  const count = (collection: string, operation: string) =>
    value(
      `store_operation_duration_seconds_count{service="notes",collection="${collection}",operation="${operation}"}`,
    );
  expect([count('notes', 'insert'), count('notes', 'update'), count('notes', 'get'), count('leases', 'lease')]).toEqual(
    [1, 4, 1, 1],
  );
  // All three read the same version: the second one to write is retried once, the third once or twice.
  expect(value('store_update_retries_total{service="notes",collection="notes"}')).toBeGreaterThanOrEqual(2);
  await engines.close();
});

test('messages are timed by outcome, and the depth of their queue is measured', async () => {
  const metrics = await createMetrics();
  const fixture = await openNotes();
  const poison = Object.assign(new Error('planted'), { name: 'Unreadable' });
  const handle = async ({ data }: Message) => {
    if ((data as { text: string }).text === 'poison') throw poison;
  };
  const reactions = () => [{ queue: noteQueue, handle }];
  const service = await fixture.start({ queues: [noteQueue], reactions }, { metrics });
  await fixture.write(service, 'fine');
  await fixture.write(service, 'poison');
  let value = await scrape(metrics);
  const about = `queue="${noteQueue.name}"`;
  const dead = `queue_message_duration_seconds_count{${about},outcome="dead"}`;
  while (!(value(dead) && value('relay_backlog_events{service="notes"}') === 0)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    value = await scrape(metrics);
  }
  expect(value(dead)).toBe(1);
  expect(value(`queue_message_duration_seconds_count{${about},outcome="handled"}`)).toBe(1);
  expect(value(`queue_messages{${about},state="dead"}`)).toBe(1);
  expect(value(`queue_messages{${about},state="waiting"}`)).toBe(0);
  expect(value('relay_backlog_seconds{service="notes"}')).toBe(0);
  expect(value('relay_published_total{service="notes"}')).toBe(2);
  expect(value('dependency_up{service="notes",dependency="store"}')).toBe(1);
  expect(value('service_info{service="notes",version="0.1.0"}')).toBe(1);
  expect(value('http_server_request_duration_seconds_count{service="notes",operation="createNote",status="2xx"}')).toBe(
    2,
  );
  await service.close();
  await fixture.close();
  expect((await scrape(metrics))('dependency_up{service="notes",dependency="store"}')).toBe(0);
});
