import { startCompletion } from '@boxoffice/service';
import { notExercised, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { eventsCollection, WAITING_OF_0_3, waitingCollection } from '../../src/store.ts';
import { waitUntil } from '../fixture/receiver.ts';
import { createFact, engines, openFixture, orderData } from '../fixture/service.ts';

describe.each(engines)(`each fact has one event on $name${notExercised}`, (engine) => {
  const its = useFixture(() => openFixture(engine));

  const logOf = (institution: string) =>
    its.context.store.collection(eventsCollection).of(institution).find({ orderBy: 'sequence' });

  test('an event can be read with the scope of its resource, and by nobody else', async () => {
    const resource = { type: 'order', id: 'ord_read' };
    await its.take(createFact({ institution: 'read', resource }));
    const [stored] = await logOf('read');
    const path = `/${stored?.id}`;
    const seen = await its.events<Record<string, unknown>>(path, { institution: 'read' });
    expect(seen.data).toMatchObject({
      type: 'order.created',
      sequence: 1,
      institution: 'read',
      resource: { ...resource, version: 1, url: 'https://tickets.example/svc/v3/orders/ord_read' },
    });
    const blind = await its.events(path, { institution: 'read', scopes: ['tickets:read'] });
    const foreign = await its.events(path);
    expect([blind.status, foreign.status]).toEqual([404, 404]);
  });

  test('what a publisher adds to a fact, at any depth, is not in its event', async () => {
    const at = new Date().toISOString();
    const counts = { ticketsCancelled: 2, controlled: 0, placesReleased: null };
    const cancellation = { requestedAt: at, ...counts, settledAt: null };
    const own = { ...orderData, externalReference: 'agency-4711' };
    const added = { ...own, cancellation: { ...cancellation, by: 'Ana' }, email: 'ana@example.org' };
    await its.take(createFact({ institution: 'added', type: 'order.cancelled', data: added }));
    expect((await logOf('added')).map(({ data }) => data)).toEqual([{ ...own, cancellation }]);
  });

  test('events of a resource come in the order of its versions, whatever the order of arrival', async () => {
    const other = await its.another();
    const resource = { type: 'order', id: 'ord_turned' };
    const of = (version: number, before: number | null, type = 'order.changed') =>
      createFact({ institution: 'turned', resource, version, before, type });
    await other.take(of(9, 5));
    await its.take(of(5, 2));
    expect(await logOf('turned')).toEqual([]);
    await other.take(of(2, null, 'order.created'));
    await waitUntil('all events', async () => (await its.context.waiting.oldest()) === undefined);
    expect((await logOf('turned')).map((event) => event.resource.version)).toEqual([2, 5, 9]);
  });

  test('what a process has put aside is recorded by another one, and so is what release 0.3.0 has', async () => {
    const [gone, store] = [await its.another(), await its.openStore()];
    const resource = { type: 'order', id: 'ord_left' };
    const factOf = (version: number, before: number | null) =>
      createFact({ institution: 'left', resource, version, before });
    await gone.take(factOf(3, 2));
    await gone.stop();
    const { upgrade: _, ...asThen } = waitingCollection;
    const waiting = store.collection(asThen).of('left');
    const [put] = await waiting.find();
    if (!put) throw new Error('nothing waits');
    const { event, since } = put;
    const later = { ...event, id: 'evt_of_0_3', resource: { ...event.resource, version: 4 }, position: 4 };
    await waiting.insert({ id: later.id, event: later, before: 3, since });
    const warn = (message: string) => expect(message).toBeUndefined();
    const completion = startCompletion(store, waitingCollection, WAITING_OF_0_3, { warn });
    await its.take(factOf(2, null));
    await waitUntil('all events', async () => (await waiting.find()).length === 0);
    await completion.close();
    expect((await logOf('left')).map(({ position }) => position)).toEqual([2, 3, 4]);
  });

  test('facts that arrive at once, twice and in any order at several processes are numbered once, without gaps', async () => {
    const institution = 'shuffled';
    const instances = [its, await its.another(), await its.another()];
    const facts = Array.from({ length: 12 }, (_, nth) =>
      Array.from({ length: 10 }, (_, version) =>
        createFact({
          institution,
          resource: { type: 'order', id: `ord_${nth}` },
          version: version + 1,
          before: version || null,
          type: version === 0 ? 'order.created' : 'order.changed',
        }),
      ),
    ).flat();
    // The same order in each run: sorted by the digits of multiples of a prime number.
    const key = (index: number) => (index * 7_919) % 241;
    const arrivals = [...facts, ...facts]
      .map((one, index) => ({ one, index }))
      .sort((a, b) => key(a.index) - key(b.index));
    await Promise.all(arrivals.map(({ one, index }) => instances[index % 3]?.take(one)));
    await waitUntil('all events', async () => (await logOf(institution)).length === facts.length);
    const events = await logOf(institution);
    expect(events.map(({ sequence }) => sequence)).toEqual(facts.map((_, index) => index + 1));
    for (let nth = 0; nth < 12; nth += 1) {
      const versions = events.filter(({ resource }) => resource.id === `ord_${nth}`).map((one) => one.resource.version);
      expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
  });

  test('a resource with many events does not hide another one that is looked up with it', async () => {
    const institution = 'many';
    const [busy, quiet] = ['ord_busy', 'ord_quiet'].map((id) => ({ type: 'order', id }));
    const of = (resource: typeof busy, version: number) =>
      createFact({ institution, ...(resource ? { resource } : {}), version, before: version > 1 ? version - 1 : null });
    await its.take(of(quiet, 1));
    for (let version = 1; version <= 60; version += 1) await its.take(of(busy, version));
    const other = await its.another();
    await Promise.all([of(busy, 61), of(quiet, 1), of(quiet, 2)].map((one) => other.take(one)));
    const newest = (await logOf(institution)).slice(61);
    expect(newest.map(({ resource }) => [resource.id, resource.version])).toEqual([
      ['ord_busy', 61],
      ['ord_quiet', 2],
    ]);
  });

  test('a fact that cannot be read is a dead letter at once, and only its resource waits', async () => {
    const resource = { type: 'order', id: 'ord_stuck' };
    const malformed = [
      { type: 'order.created', resource, version: 1, position: 1, before: null, data: { state: 'open' } },
      { type: 'order.unheard', resource, version: 1, position: 1, before: null, data: {} },
      { type: 'ticket.issued', resource, version: 1, position: 1, before: null, data: {} },
      { type: 'order.created', resource, version: 2, position: 2, before: 2, data: {} },
      'text',
    ];
    for (const event of malformed)
      await expect(its.take(createFact({ institution: 'stuck', event }))).rejects.toMatchObject({ name: 'Unreadable' });
    await its.take(createFact({ institution: 'stuck', resource, version: 3, before: 1 }));
    await its.take(createFact({ institution: 'stuck' }));
    await its.idle();
    expect((await logOf('stuck')).map((event) => event.resource.id)).not.toContain(resource.id);
    expect(await its.context.waiting.oldest()).toEqual(expect.any(Number));
  });
});
