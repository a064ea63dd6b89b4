import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Bus, Handler, Message } from '@boxoffice/messaging';
import {
  type Attributes,
  getCurrentTrace,
  listen,
  recordSpans,
  runWithTrace,
  type SpanStart,
  type Trace,
} from '@boxoffice/runtime';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServiceClient } from '../src/index.ts';
import { subscribeAll, traceHandler, tracePublish } from '../src/subscriptions.ts';
import { noteQueue, openNotes } from './fixture.ts';

interface Ended {
  readonly start: SpanStart;
  readonly traceparent: string;
  readonly attributes: Attributes;
  readonly failure: string | undefined;
}

const ended: Ended[] = [];
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const message: Message = {
  id: 'e1',
  type: 'order.cancelled',
  key: 'o',
  version: 1,
  institution: 'i',
  occurredAt: '2026-01-01T00:00:00.000Z',
  traceparent: parent,
  data: {},
};

const record = () => {
  let count = 0;
  recordSpans((start) => {
    count += 1;
    const traceparent = `00-0af7651916cd43dd8448eb211c80319c-000000000000000${count}-01`;
    let attributes = start.attributes ?? {};
    return {
      traceparent,
      rename: () => undefined,
      set: (more) => {
        attributes = { ...attributes, ...more };
      },
      end: (failure) => void ended.push({ start, traceparent, attributes, failure }),
    };
  });
};

describe('while spans are recorded', () => {
  beforeEach(record);
  afterEach(() => {
    recordSpans(undefined);
    ended.length = 0;
  });

  test('a message carries the span of its publishing, which belongs to the trace that was stored with it', async () => {
    const sent: Message[] = [];
    await tracePublish(
      'orders',
      () => 'rabbitmq',
      async (one) => void sent.push(one),
    )(message);
    const [span] = ended;
    expect(span).toMatchObject({ start: { service: 'orders', kind: 'producer', parent }, failure: undefined });
    expect(sent).toEqual([{ ...message, traceparent: span?.traceparent }]);
  });

  test('the handling of a message is a span of the same trace, which its own events continue', async () => {
    let within: unknown;
    const handle = async () => {
      within = getCurrentTrace();
    };
    await traceHandler('tickets', 'rabbitmq', 'tickets.orders.v1', handle)(message, 2);
    const [span] = ended;
    expect(span?.start).toMatchObject({
      service: 'tickets',
      kind: 'consumer',
      name: 'process tickets.orders.v1',
      parent,
    });
    expect(span?.attributes).toMatchObject({ 'messaging.system': 'rabbitmq', 'boxoffice.message.attempt': 2 });
    expect(within).toEqual({ requestId: 'e1', traceparent: span?.traceparent, service: 'tickets' });
  });

  test('a failed handling is a span with the name of the failure, and still rejects', async () => {
    const fail = () => Promise.reject(new TypeError('with a secret'));
    await expect(traceHandler('tickets', 'rabbitmq', 'q', fail)(message, 1)).rejects.toThrow('with a secret');
    await expect(tracePublish('orders', () => 'rabbitmq', fail)(message)).rejects.toThrow('with a secret');
    expect(ended.map(({ failure }) => failure)).toEqual(['TypeError', 'TypeError']);
  });

  test('while spans are not recorded, a message is unchanged', async () => {
    recordSpans(undefined);
    const sent: Message[] = [];
    await tracePublish(
      'orders',
      () => 'rabbitmq',
      async (one) => void sent.push(one),
    )(message);
    expect(sent[0]).toBe(message);
  });

  interface HoldPlaces {
    readonly holdPlaces: {
      readonly parameters: { readonly query?: never; readonly path: { readonly how: string } };
      readonly responses: object;
    };
  }

  test('a call of another service is a span, which the call carries; a refusal is not a failure', async () => {
    const received: unknown[] = [];
    const peerServer = await listen(
      (request, response) => {
        received.push(request.headers.traceparent);
        response
          .writeHead(request.url === '/refused' ? 409 : 500)
          .end('{"status":"conflict","details":"","data":null}');
      },
      { host: '127.0.0.1', port: 0 },
    );
    const credentials = { tokenFor: async () => 'identity' };
    const api = { service: 'catalog', operations: { holdPlaces: { method: 'POST', path: '/{how}' } } } as const;
    const client = createServiceClient<HoldPlaces>(api, { url: peerServer.url, credentials, logger: { warn() {} } });
    const call = (how: string) => client.call('i', 'holdPlaces', { path: { how } });
    const trace = { requestId: 'r', traceparent: parent, service: 'orders' };
    await expect(runWithTrace(trace, () => call('refused'))).rejects.toThrow('409');
    await expect(runWithTrace(trace, () => call('failed'))).rejects.toThrow('does not answer');
    // A sweep without a request belongs to no trace.
    await expect(call('refused')).rejects.toThrow('409');
    expect(ended).toMatchObject([
      { start: { service: 'orders', kind: 'client', name: 'holdPlaces', parent }, failure: undefined },
      { start: { service: 'orders', kind: 'client', name: 'holdPlaces', parent }, failure: '500' },
    ]);
    expect(ended.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([409, 500]);
    expect(received).toEqual([...ended.map(({ traceparent }) => traceparent), undefined]);
    await peerServer.close();
  });
});

test('a fact reaches its reaction, in the trace of the request that caused it', async () => {
  const fixture = await openNotes();
  const received = Promise.withResolvers<{ message: Message; trace: Trace | undefined }>();
  const handle = async (message: Message) => {
    await new Promise(setImmediate);
    received.resolve({ message, trace: getCurrentTrace() });
  };
  const service = await fixture.start({ queues: [noteQueue], reactions: () => [{ queue: noteQueue, handle }] });
  await fixture.write(service, 'x', { traceparent: parent });
  const { message, trace } = await received.promise;
  expect(message).toMatchObject({ type: 'contact.erased', institution: 'i', data: { text: 'x' } });
  expect(trace).toEqual({ requestId: message.id, traceparent: parent });
  await service.close();
  await fixture.close();
});

describe('the channel of facts', () => {
  const moments: unknown[] = [];
  const hear = (moment: unknown) => moments.push(moment);
  afterEach(() => {
    unsubscribe('boxoffice:fact', hear);
    moments.length = 0;
  });

  const fact = { id: 'e1', type: 'contact.erased', key: 'k', version: 1, institution: 'i', occurredAt: '', data: {} };

  /** The handler that the bus calls for a message of the queue whose reaction is `handle`. */
  const subscribed = async (handle: Handler): Promise<Handler> => {
    const subscribers: Handler[] = [];
    const bus: Pick<Bus, 'subscribe'> = {
      async subscribe(_queue, handler) {
        subscribers.push(handler);
        return { close: async () => undefined };
      },
    };
    await subscribeAll(bus as Bus, [{ queue: noteQueue, handle }], 'notes');
    return subscribers[0] as Handler;
  };

  test('a fact is reported as received, and as handled when its handler has resolved', async () => {
    subscribe('boxoffice:fact', hear);
    const handler = await subscribed(async () => void expect(moments).toHaveLength(1));
    await handler(fact, 2);
    const about = { queue: noteQueue.name, type: 'contact.erased', id: 'e1', attempt: 2 };
    expect(moments).toEqual([
      { ...about, phase: 'received' },
      { ...about, phase: 'handled' },
    ]);
  });

  test('a fact whose handler rejects is not reported as handled, and the bus gets the rejection', async () => {
    subscribe('boxoffice:fact', hear);
    const handler = await subscribed(() => Promise.reject(new Error('no')));
    await expect(handler(fact, 1)).rejects.toThrow('no');
    expect(moments).toMatchObject([{ phase: 'received' }]);
  });
});
