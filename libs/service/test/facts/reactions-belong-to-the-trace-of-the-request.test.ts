import type { Message } from '@boxoffice/messaging';
import { currentTrace, type Trace } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { startService } from '../../src/index.ts';
import { common, definition, noteQueue, notes, openEmbedded, openKeys } from '../fixture.ts';

test('a fact reaches its reaction, in the trace of the request that caused it', async () => {
  const keys = await openKeys();
  const engines = await openEmbedded();
  const received = Promise.withResolvers<{ message: Message; trace: Trace | undefined }>();
  const reacting = definition({
    queues: [noteQueue],
    reactions: () => [
      {
        queue: noteQueue,
        handle: async (message) => {
          await new Promise(setImmediate);
          received.resolve({ message, trace: currentTrace() });
        },
      },
    ],
  });
  const store = await engines.store('notes', [notes]);
  const service = await startService(reacting, { ...common(keys), store, bus: engines.bus });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await fetch(`${service.url}/notes`, {
    method: 'POST',
    headers: keys.headers('createNote', { traceparent }),
    body: '{"text":"x"}',
  });
  const { message, trace } = await received.promise;
  expect(message).toMatchObject({ type: 'contact.erased', institution: 'i', data: { text: 'x' } });
  expect(trace).toEqual({ requestId: message.id, traceparent });
  await service.close();
  await engines.close();
  await keys.listening.close();
});
