import { useFixture } from '@boxoffice/service/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { answerNever, createStatusAnswer, waitUntil } from '../fixture/receiver.ts';
import { Clock, engines, openFixture } from '../fixture/service.ts';

describe.each(engines)('on $name', (engine) => {
  const clock = new Clock();
  const its = useFixture(() => openFixture(engine, { clock }));
  afterEach(() => clock.run());

  const ended = (id: string, attempt: number) => async () =>
    (await its.attempts(id)).some((one) => one.attempt === attempt && one.outcome !== 'waiting');

  test('an event is delivered signed, as the feed shows it, and recorded', () =>
    its.using(async (at, { id, secret }) => {
      const event = await its.emit('order.created', 'ord_1');
      await its.emit('ticket.issued');
      const another = await its.emit('order.changed', 'ord_1');
      await waitUntil('both deliveries', () => at.received.length === 2);
      expect(at.ids()).toEqual([event, another]);
      const [first] = at.received;
      expect(new Webhook(secret).verify(first?.text ?? '', first?.headers as never)).toMatchObject({
        id: event,
        type: 'order.created',
        resource: { id: 'ord_1', url: 'https://tickets.example/svc/v3/orders/ord_1' },
        data: { state: 'open' },
      });
      expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': event });
      const record = async () => (await its.attempts(id)).find(({ eventId }) => eventId === event);
      await waitUntil('its record', async () => (await record())?.outcome === 'succeeded');
      expect(await record()).toMatchObject({ attempt: 1, httpStatus: 204, error: null });
      expect((await its.state(id)).lastDelivery).toMatchObject({ status: 204 });
    }));

  test('a failed attempt is followed by others by the table, the last of which gives the event up', () =>
    its.using(async (at, { id }) => {
      clock.stop();
      at.answer = createStatusAnswer(500);
      const event = await its.emit('order.created');
      const steps = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
      for (const [index, seconds] of steps.entries()) {
        await waitUntil(`attempt ${index + 1}`, ended(id, index + 1));
        const record = (await its.attempts(id)).find(({ attempt }) => attempt === index + 1);
        expect(record).toMatchObject({ outcome: 'failed', httpStatus: 500, error: 'http_status' });
        const [waiting] = await its.attempts(id, '&outcome=waiting');
        expect(waiting).toMatchObject({ eventId: event, attempt: index + 2, at: null });
        expect(waiting?.nextAttemptAt).toBe(record?.nextAttemptAt);
        const pause = Date.parse(String(record?.nextAttemptAt)) - Date.parse(String(record?.at));
        expect(pause).toBeGreaterThanOrEqual(seconds * 800 - 1);
        clock.advance(pause);
      }
      await waitUntil('the last attempt', ended(id, 11));
      expect(at.received).toHaveLength(11);
      expect((await its.attempts(id)).at(-1)).toMatchObject({ outcome: 'failed', nextAttemptAt: null });
      expect(await its.attempts(id, '&outcome=waiting')).toEqual([]);
      expect(new Set(at.ids())).toEqual(new Set([event]));
    }));

  test('a failing event holds back later ones of its resource only, in their order', () =>
    its.using(async (at, { id }) => {
      clock.stop();
      at.answer = ({ event }, response) =>
        void response.writeHead(event.resource.id === 'ord_failing' ? 500 : 204).end();
      const [one, two, three] = [
        await its.emit('order.created', 'ord_failing'),
        await its.emit('order.changed', 'ord_failing'),
        await its.emit('order.confirmed', 'ord_failing'),
      ];
      const others = [await its.emit('order.created'), await its.emit('order.created')];
      await waitUntil('the others', () => others.every((other) => at.ids().includes(other)));
      await waitUntil('the failure', ended(id, 1));
      expect(at.ids()).not.toContain(two);
      at.answer = createStatusAnswer(200);
      clock.advance(10_000);
      await waitUntil('the rest', () => at.ids().includes(three));
      expect(at.ids().filter((event) => !others.includes(event))).toEqual([one, one, two, three]);
    }));

  test('a receiver that never answers delays no other one, and has ten attempts at once', () =>
    its.using(async (slow, { id }) => {
      slow.answer = answerNever;
      await its.using(async (fast) => {
        const events: string[] = [];
        for (let index = 0; index < 25; index += 1) events.push(await its.emit('order.created'));
        await waitUntil('all deliveries of the other', () => fast.received.length === 25);
        await waitUntil('ten attempts', () => slow.received.length === 10);
        expect(await its.attempts(id, '&outcome=waiting')).toHaveLength(25);
        expect(new Set(fast.ids())).toEqual(new Set(events));
        expect(slow.received).toHaveLength(10);
      });
    }));

  test('a redirect is a failure and is not followed', () =>
    its.using(async (at, { id }) => {
      const other = await its.receiver();
      at.answer = createStatusAnswer(302, { location: other.url });
      await its.emit('order.created');
      await waitUntil('the record', ended(id, 1));
      expect((await its.attempts(id))[0]).toMatchObject({ outcome: 'failed', httpStatus: 302, error: 'redirect' });
      expect(other.received).toEqual([]);
    }));

  test('an endless answer is not read', () =>
    its.using(async (at, { id }) => {
      let written = 0;
      const closed = Promise.withResolvers<void>();
      at.answer = (_received, response) => {
        response.writeHead(200);
        response.on('close', closed.resolve);
        const more = () => {
          for (; response.writable && !response.destroyed; ) {
            written += 65_536;
            if (!response.write(Buffer.alloc(65_536))) break;
          }
        };
        response.on('drain', more);
        more();
      };
      await its.emit('order.created');
      await waitUntil('the record', ended(id, 1));
      await closed.promise;
      expect((await its.attempts(id))[0]).toMatchObject({ outcome: 'succeeded', httpStatus: 200 });
      expect(written).toBeLessThan(64 * 1024 * 1024);
    }));

  test('a receiver that is not there fails the connection', async () => {
    const at = await its.receiver();
    const { id } = await its.webhook(at.url);
    await at.close();
    await its.emit('order.created');
    await waitUntil('the record', ended(id, 1));
    expect((await its.attempts(id))[0]).toMatchObject({ httpStatus: null, error: 'connection_failed' });
    await its.call('DELETE', `/${id}`);
  });

  test('410 disables at once; then only redeliveries are made, and later events come after its activation', () =>
    its.using(async (at, { id }) => {
      at.answer = createStatusAnswer(410);
      const gone = await its.emit('order.created');
      await waitUntil('the disabling', async () => (await its.state(id)).state === 'disabled');
      expect((await its.state(id)).disabledReason).toBe('The receiver answered 410 (Gone).');
      at.answer = createStatusAnswer(204);
      const missed = await its.emit('order.created');
      await its.call('POST', `/${id}/redeliveries`, { body: { eventId: gone } });
      await waitUntil('the redelivery', () => at.received.length === 2);
      expect(at.ids()).toEqual([gone, gone]);
      expect((await its.call('PATCH', `/${id}`, { body: { state: 'active' } })).data).toMatchObject({
        state: 'active',
        disabledReason: null,
      });
      const later = await its.emit('order.created');
      await waitUntil('the later event', () => at.ids().includes(later));
      expect(at.ids()).not.toContain(missed);
    }));

  test('five days without any success disable with a reason', () =>
    its.using(async (at, { id }) => {
      at.answer = createStatusAnswer(503);
      await its.emit('order.created');
      await waitUntil('the first failure', ended(id, 1));
      const [{ at: since } = {}] = await its.attempts(id);
      clock.advance(5 * 24 * 60 * 60_000);
      await waitUntil('the disabling', async () => (await its.state(id)).state === 'disabled');
      expect((await its.state(id)).disabledReason).toBe(`No delivery has succeeded since ${since}.`);
      await waitUntil('nothing waits', async () => (await its.attempts(id, '&outcome=waiting')).length === 0);
    }));

  test('paused, events are kept and delivered on activation', () =>
    its.using(
      async (at, { id }) => {
        const events = [await its.emit('order.created', 'ord_p'), await its.emit('order.changed', 'ord_p')];
        const probe = await its.receiver();
        const { id: other } = await its.webhook(probe.url);
        const last = await its.emit('order.confirmed', 'ord_p');
        await waitUntil('another webhook has it', () => probe.ids().includes(last));
        await its.call('DELETE', `/${other}`);
        expect(at.received).toEqual([]);
        await its.call('PATCH', `/${id}`, { body: { state: 'active' } });
        await waitUntil('all of them', () => at.received.length === 3);
        expect(at.ids()).toEqual([...events, last]);
      },
      { state: 'paused' },
    ));

  test('types that the client may no longer read are no longer delivered', async () => {
    const at = await its.receiver();
    const types = ['order.*', 'ticket.*'];
    const { id } = await its.webhook(at.url, { types }, { client: 'limited' });
    its.clients.scopes.set('limited', ['tickets:read']);
    const before = its.cursor(await its.context.feed.head('opera'));
    await its.emit('order.created');
    const visible = await its.emit('ticket.issued');
    await waitUntil('the ticket', () => at.received.length > 0);
    expect(at.ids()).toEqual([visible]);
    // They are not counted as delivered again, either.
    const again = await its.call('POST', `/${id}/redeliveries`, { body: { after: before } });
    expect([again.status, again.data]).toEqual([202, { count: 1 }]);
    await waitUntil('the ticket again', () => at.received.length === 2);
    expect(at.ids()).toEqual([visible, visible]);
    await its.call('PATCH', `/${id}`, { body: { types }, client: 'other' });
    const order = await its.emit('order.created');
    await waitUntil('the order', () => at.ids().includes(order));
    await its.call('DELETE', `/${id}`);
  });

  test('while it cannot be found out what the client may read, nothing is delivered, and nothing is lost', () =>
    its.using(async (at) => {
      its.clients.isDown = true;
      const event = await its.emit('order.created');
      await its.context.feed.head('opera');
      its.clients.isDown = false;
      await waitUntil('the event', () => at.received.length > 0);
      expect(at.ids()).toEqual([event]);
    }));
});
