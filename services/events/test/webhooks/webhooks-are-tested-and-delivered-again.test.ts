import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { WebhookTestEvent } from '../../src/types/schemas.ts';
import { answerNever, createHoldingAnswer, createStatusAnswer, type Json, waitUntil } from '../fixture/receiver.ts';
import { Clock, engines, openFixture } from '../fixture/service.ts';

describe.each(engines)('on $name', (engine) => {
  const clock = new Clock();
  const its = useFixture(() => openFixture(engine, { clock }));

  const ask = (id: string, body: object, headers = {}) => its.call('POST', `/${id}/redeliveries`, { body, headers });

  test('a test is sent at once in every state, and answers its outcome', () =>
    its.using(
      async (at, { id }) => {
        const sent = await its.call<{ delivery: Json }>('POST', `/${id}/test`);
        expect(sent.data.delivery).toMatchObject({ type: 'webhook.test', outcome: 'succeeded', httpStatus: 204 });
        expect(at.received[0]?.event).toEqual({
          id: sent.data.delivery.eventId,
          type: 'webhook.test',
          occurredAt: expect.any(String),
          institution: 'opera',
          resource: { type: 'webhook', id, version: 1, url: `https://tickets.example/svc/v3/webhooks/${id}` },
          data: {},
        });
        expect(Value.Check(WebhookTestEvent, at.received[0]?.event)).toBe(true);
        at.answer = createStatusAnswer(500);
        const failed = await its.call<{ delivery: Json }>('POST', `/${id}/test`);
        expect(failed.data.delivery).toMatchObject({ outcome: 'failed', error: 'http_status', nextAttemptAt: null });
        expect(await its.attempts(id)).toHaveLength(2);
        expect(await its.attempts(id, '&outcome=succeeded')).toHaveLength(1);
      },
      { state: 'paused' },
    ));

  test('a test that is not answered in time has failed', async () => {
    const hasty = await openFixture(engine, { answerMs: 300 });
    const at = await hasty.receiver();
    at.answer = answerNever;
    const { id } = await hasty.webhook(at.url);
    const late = await hasty.call<{ delivery: Json }>('POST', `/${id}/test`);
    expect(late.data.delivery).toMatchObject({ outcome: 'failed', httpStatus: null, error: 'timeout' });
    await hasty.close();
  });

  test('redeliveries name one known event, or a cursor', () =>
    its.using(async (_at, { id }) => {
      const order = await its.emit('order.created');
      const ticket = await its.emit('ticket.issued');
      expect((await ask(id, { eventId: 'evt_none' })).status).toBe(422);
      expect((await ask(id, { eventId: ticket })).status).toBe(422);
      expect((await ask(id, { after: 'nonsense' })).status).toBe(400);
      expect((await ask(id, {})).status).toBe(400);
      expect((await ask(id, { eventId: order, after: its.cursor(0) })).status).toBe(422);
      const accepted = await ask(id, { eventId: order });
      expect([accepted.status, accepted.data]).toEqual([202, { count: 1 }]);
      await waitUntil(
        'it again',
        async () => (await its.attempts(id, `&eventId=${order}&outcome=succeeded`)).length === 2,
      );
      const all = await ask(id, { after: 'start' });
      expect([all.status, all.data.count]).toEqual([202, expect.any(Number)]);
      expect(all.data.count).toBeGreaterThan(0);
    }));

  test('events are delivered again once at a time', () =>
    its.using(async (at, { id }) => {
      const event = await its.emit('order.created');
      await waitUntil('the event', async () => (await its.attempts(id, '&outcome=succeeded')).length === 1);
      at.answer = createStatusAnswer(503);
      const both = await Promise.all([ask(id, { after: 'start' }), ask(id, { after: 'start' })]);
      expect(both.map((answer) => answer.status).sort()).toEqual([202, 409]);
      await waitUntil('it waits', async () => (await its.attempts(id, '&outcome=waiting')).length > 0);
      const refused = await ask(id, { after: 'start' });
      expect([refused.status, refused.body.status]).toEqual([409, 'webhook_redelivery_running']);
      expect(refused.headers.get('retry-after')).toBeNull();
      // Another single event is taken meanwhile.
      expect((await ask(id, { eventId: event })).status).toBe(202);
      at.answer = createStatusAnswer(204);
      await waitUntil('both again', async () => {
        clock.advance(10_000);
        return (await its.attempts(id, '&outcome=waiting')).length === 0;
      });
      await waitUntil('another', async () => (await ask(id, { after: 'start' })).status === 202);
    }));

  test('what is asked for of a paused webhook is planned, so that single events do not block each other', () =>
    its.using(
      async (_at, { id }) => {
        const before = its.cursor(await its.context.feed.head('opera'));
        const events = [await its.emit('order.created'), await its.emit('order.created')];
        const headers = { 'idempotency-key': id };
        const accepted = await ask(id, { eventId: events[0] }, headers);
        expect([accepted.status, accepted.data]).toEqual([202, { count: 1 }]);
        expect((await ask(id, { after: before })).data).toEqual({ count: 2 });
        expect((await ask(id, { eventId: events[1] })).status).toBe(202);
        expect((await ask(id, { eventId: events[0] }, headers)).data).toEqual({ count: 1 });
        const waiting = async () => (await its.attempts(id, '&outcome=waiting')).map(({ eventId }) => eventId).sort();
        await waitUntil('all of them', async () => (await waiting()).length >= 4);
        expect(await waiting()).toEqual([...events, ...events].sort());
        expect((await ask(id, { after: before })).status).toBe(409);
        expect(await its.attempts(id)).toHaveLength(4);
      },
      { state: 'paused' },
    ));

  test('of many events that are delivered again, two hundred wait at a time', async () => {
    const before = its.cursor(await its.context.feed.head('opera'));
    const count = 220;
    await Promise.all(Array.from({ length: count }, () => its.emit('ticket.issued')));
    await its.using(
      async (at, { id }) => {
        const { answer, release } = createHoldingAnswer();
        at.answer = answer;
        const asked = await ask(id, { after: before });
        expect(asked.data).toEqual({ count });
        await waitUntil('attempts', () => at.received.length === 10);
        expect(await its.attempts(id, '&outcome=waiting')).toHaveLength(200);
        release();
        await waitUntil('the plan of the others', async () => (await its.attempts(id)).length >= count);
      },
      { types: ['ticket.*'] },
    );
  });

  test('a webhook is tested ten times a minute', () =>
    its.using(async (at, { id }) => {
      const test = () => its.call('POST', `/${id}/test`);
      // The receiver keeps them, so that all are sent at once.
      const { answer, release } = createHoldingAnswer();
      at.answer = answer;
      const tests = Array.from({ length: 30 }, test);
      await waitUntil('those that are sent', () => at.received.length === 10);
      const refused = await test();
      expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      release();
      expect((await Promise.all(tests)).map((one) => one.status).sort()).toEqual([
        ...Array(10).fill(200),
        ...Array(20).fill(429),
      ]);
      expect(at.received).toHaveLength(10);
      clock.advance(1_000 * seconds);
      expect((await test()).status).toBe(200);
    }));
});
