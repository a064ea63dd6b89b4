// rule platform.8: Its feed has `sequence: null` and cursors that do not count what it may not see | services/events/src/feed/read.ts
import { type TestEngine, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { waitUntil } from '../fixture/receiver.ts';
import { engines, openFixture, type ServedCall } from '../fixture/service.ts';
import { createResourceFact, ownOrders, readStreamUntil, salesHere } from './fixture.ts';

const [engine] = engines as [TestEngine];
const within = [ownOrders, salesHere, { ownOrders: false, pointsOfSale: [] }];
const textOf = (value: unknown) => JSON.stringify(value).replaceAll(/\W/g, '');

describe('a feed with bounds counts nothing of others', () => {
  const its = useFixture(async () => {
    const fixture = await openFixture(engine);
    return { ...fixture, at: await fixture.receiver() };
  });
  const page = async (query: string, call: ServedCall) => (await its.events(query, call)).data;
  const statusOf = async (query: string, call: ServedCall) => (await its.events(query, call)).status;
  const stream = (call: ServedCall) => readStreamUntil(its, call, 'ord_own_here');

  test.each(within)('the sequence is null in pages, streams, single events and webhooks: %j', async (bounds) => {
    const institution = `null${textOf(bounds)}`;
    const call = { institution, bounds };
    its.clients.bounds.set('partner', bounds);
    its.at.received.length = 0;
    const { id } = await its.webhook(its.at.url, { types: ['order.*'] }, call);
    await its.take(createResourceFact(institution, 'ord_own_here'));
    const { items } = await page('?after=start', call);
    expect(items).toMatchObject([{ resource: { id: 'ord_own_here' }, sequence: null }]);
    const single = await its.open('GET', `/svc/v3/events/${items[0]?.id}`, call);
    expect(((await single.json()) as { data: object }).data).toMatchObject({ sequence: null });
    expect(await stream(call)).toContain('"sequence":null');
    await waitUntil('the delivery', () => its.at.received.length > 0);
    expect(its.at.received[0]?.event).toMatchObject({ sequence: null });
    await its.call('DELETE', `/${id}`, call);
    // Without bounds all have it.
    expect((await page('?after=start', { institution })).items).toMatchObject([{ sequence: 1 }]);
    expect(await stream({ institution })).toContain('"sequence":1');
  });

  test('a cursor goes on where it was given, tells no position, and is another one each time', async () => {
    const institution = 'opaque';
    const call = { institution, bounds: ownOrders };
    await its.take(createResourceFact(institution, 'ord_own_here'));
    const first = await page('?after=start', call);
    const idle = await Promise.all([1, 2, 3].map(() => page(`?after=${first.nextCursor}`, call)));
    for (const id of ['ord_other_here', 'ord_other_there']) await its.take(createResourceFact(institution, id));
    const busy = await page(`?after=${first.nextCursor}`, call);
    const cursors = [first, ...idle, busy].map(({ nextCursor }) => nextCursor);
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(new Set(cursors.map((cursor) => cursor.length)).size).toBe(1);
    for (const cursor of cursors) {
      const bytes = Buffer.from(cursor, 'base64url');
      const position = Buffer.alloc(8);
      for (const sequence of [1n, 3n]) {
        position.writeBigUInt64BE(sequence);
        expect(bytes.includes(position)).toBe(false);
      }
    }
    await its.take(createResourceFact(institution, 'ord_own_there'));
    for (const cursor of cursors) {
      const { items } = await page(`?after=${cursor}`, call);
      expect(items.map(({ resource }) => resource.id)).toEqual(['ord_own_there']);
    }
  });

  test('a cursor is its client’s alone, whose cursors of before go on', async () => {
    const institution = 'foreign';
    const call = { institution, bounds: ownOrders };
    const { nextCursor } = await page('', call);
    const forged = `${nextCursor.slice(0, -1)}${nextCursor.endsWith('A') ? 'B' : 'A'}`;
    expect(await statusOf(`?after=${nextCursor}`, call)).toBe(200);
    expect(await statusOf(`?after=${nextCursor}`, { institution })).toBe(200);
    for (const other of [
      { ...call, client: 'another' },
      { institution, client: 'another' },
      { ...call, institution: 'x' },
    ])
      expect(await statusOf(`?after=${nextCursor}`, other)).toBe(400);
    expect(await statusOf(`?after=${forged}`, call)).toBe(400);
    const { nextCursor: unbounded } = await page('', { institution });
    expect(await statusOf(`?after=${unbounded}`, call)).toBe(200);
  });

  test('it has at most 3 webhooks, which do not count among the twenty of the institution', async () => {
    const institution = 'full';
    const make = async (call: ServedCall) => {
      const { status, data, body } = await its.call('POST', '', {
        institution,
        ...call,
        body: { url: its.at.url, types: ['order.*'] },
      });
      return { status, code: body.status, id: String(data?.webhookId) };
    };
    const partner = { bounds: ownOrders };
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => make(partner)));
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409]);
    expect(await make(partner)).toMatchObject({ status: 409, code: 'webhook_too_many' });
    expect((await make({ ...partner, client: 'another partner' })).status).toBe(201);
    for (let nth = 0; nth < 20; nth += 1) expect((await make({ client: 'another' })).status).toBe(201);
    expect(await make({ client: 'another' })).toMatchObject({ status: 409, code: 'webhook_too_many' });
    const { id } = atOnce.find(({ status }) => status === 201) ?? {};
    expect((await its.call('DELETE', `/${id}`, { institution, ...partner })).status).toBe(200);
    expect((await make(partner)).status).toBe(201);
  });
});
