import { notExercised } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventsCollection } from '../../src/store.ts';
import { engines, type Fixture, fact, openFixture } from '../fixture/service.ts';

describe.each(engines)(`each fact has one event on $name${notExercised}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const logOf = (institution: string) =>
    fixture.first.context.store.collection(eventsCollection).of(institution).find({ orderBy: 'sequence' });

  test('an event can be read with the scope of its resource, and by nobody else', async () => {
    const resource = { type: 'order', id: 'ord_read' };
    await fixture.first.take(fact({ institution: 'read', resource }));
    const [stored] = await logOf('read');
    const path = `/svc/v3/events/${stored?.id}`;
    const seen = await fixture.first.call<Record<string, unknown>>(path, { institution: 'read' });
    expect(seen.data).toMatchObject({
      type: 'order.created',
      sequence: 1,
      institution: 'read',
      resource: { ...resource, version: 1, url: 'https://tickets.example/svc/v3/orders/ord_read' },
    });
    const blind = await fixture.first.call(path, { institution: 'read', scopes: ['tickets:read'] });
    const foreign = await fixture.first.call(path);
    expect([blind.status, foreign.status]).toEqual([404, 404]);
  });

  test('several instances that get the same facts at once number each once, without gaps', async () => {
    const instances = [fixture.first, await fixture.another(), await fixture.another()];
    const facts = Array.from({ length: 40 }, () => fact({ institution: 'several' }));
    await Promise.all(instances.flatMap((instance) => facts.map((one) => instance.take(one))));
    const events = await logOf('several');
    expect(events.map(({ sequence }) => sequence)).toEqual(facts.map((_, index) => index + 1));
    expect(new Set(events.map(({ resource }) => resource.id)).size).toBe(facts.length);
  });

  test('events of a resource come in the order of its versions, whatever the order of arrival', async () => {
    const other = await fixture.another();
    const resource = { type: 'order', id: 'ord_turned' };
    const of = (version: number, before: number | null, type = 'order.changed') =>
      fact({ institution: 'turned', resource, version, before, type });
    await other.take(of(9, 5));
    await fixture.first.take(of(5, 2));
    expect(await logOf('turned')).toEqual([]);
    await other.take(of(2, null, 'order.created'));
    for (let turn = 0; turn < 2; turn += 1)
      for (const { context } of [other, fixture.first]) await context.waiting.resume('own');
    await other.context.waiting.resume('own');
    expect((await logOf('turned')).map((event) => event.resource.version)).toEqual([2, 5, 9]);
    expect(await fixture.first.context.waiting.oldest()).toBeUndefined();
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
      await expect(fixture.first.take(fact({ institution: 'stuck', event }))).rejects.toMatchObject({
        name: 'Unreadable',
      });
    await fixture.first.take(fact({ institution: 'stuck', resource, version: 3, before: 1 }));
    await fixture.first.take(fact({ institution: 'stuck' }));
    await fixture.first.context.waiting.resume('all');
    expect((await logOf('stuck')).map((event) => event.resource.id)).not.toContain(resource.id);
    expect(await fixture.first.context.waiting.oldest()).toEqual(expect.any(Number));
  });
});
