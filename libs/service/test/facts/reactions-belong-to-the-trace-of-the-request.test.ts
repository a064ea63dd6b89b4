import type { Message } from '@boxoffice/messaging';
import { currentTrace, type Trace } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { noteQueue, openNotes } from '../fixture.ts';

test('a fact reaches its reaction, in the trace of the request that caused it', async () => {
  const fixture = await openNotes();
  const received = Promise.withResolvers<{ message: Message; trace: Trace | undefined }>();
  const handle = async (message: Message) => {
    await new Promise(setImmediate);
    received.resolve({ message, trace: currentTrace() });
  };
  const service = await fixture.start({ queues: [noteQueue], reactions: () => [{ queue: noteQueue, handle }] });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await fetch(`${service.url}/notes`, {
    method: 'POST',
    headers: fixture.headers('createNote', { traceparent }),
    body: '{"text":"x"}',
  });
  const { message, trace } = await received.promise;
  expect(message).toMatchObject({ type: 'contact.erased', institution: 'i', data: { text: 'x' } });
  expect(trace).toEqual({ requestId: message.id, traceparent });
  await service.close();
  await fixture.close();
});
