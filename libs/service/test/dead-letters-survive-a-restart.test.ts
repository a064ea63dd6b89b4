import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Message, Unreadable } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { noteQueue, openEmbeddedEngines } from './fixture.ts';

const message: Message = {
  id: 'evt_1',
  type: 'contact.erased',
  key: 'k',
  version: 1,
  institution: 'i',
  occurredAt: '2027-01-01T00:00:00.000Z',
  data: {},
};

test('a dead letter of the in-process bus survives a restart, and can be replayed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-service-'));
  const first = await openEmbeddedEngines(directory);
  await first.bus.subscribe(noteQueue, () => Promise.reject(new Unreadable('not for me')));
  await first.bus.publish(message);
  await first.close();

  const second = await openEmbeddedEngines(directory);
  const [letter] = await second.bus.deadLetters.list(noteQueue.name);
  expect(letter).toMatchObject({ queue: noteQueue.name, message, attempts: 1 });
  const handled = Promise.withResolvers<Message>();
  await second.bus.subscribe(noteQueue, async (again) => handled.resolve(again));
  expect(await second.bus.deadLetters.replay(String(letter?.id))).toBe(true);
  expect(await handled.promise).toEqual(message);
  await second.close();
});

test('an operator’s process requests a replay, and the running product executes it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-service-'));
  const product = await openEmbeddedEngines(directory, [noteQueue]);
  const handled = Promise.withResolvers<Message>();
  let ready = false;
  await product.bus.subscribe(noteQueue, async (again) => {
    if (!ready) throw new Unreadable('not yet');
    handled.resolve(again);
  });
  await product.bus.publish(message);
  ready = true;
  const operator = await openEmbeddedEngines(directory);
  const [letter] = await operator.deadLetters.list(noteQueue.name);
  expect(await operator.deadLetters.replay('unknown')).toBe(false);
  expect(await operator.deadLetters.replay(String(letter?.id))).toBe(true);
  expect(await handled.promise).toEqual(message);
  await operator.close();
  await product.close();
});
