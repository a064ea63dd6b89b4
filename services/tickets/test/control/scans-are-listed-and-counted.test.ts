import { startSweeper } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { shopTicket } from '../../src/examples.ts';
import { collections, retention, SCAN_RETENTION_MS } from '../../src/store.ts';
import { crashAtEachWrite, createFailingStore } from '../fixture/crashes.ts';
import {
  createBoxOfficeUser,
  createCustomerUser,
  describeOnEachEngine,
  door,
  PATH,
  toCodes,
  waitUntilAfter,
} from '../fixture/service.ts';
import {
  addMembers,
  controlWith,
  createConfirmedOrder,
  createScanClock,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  listScans,
  scan,
  toCancelledOrder,
} from '../fixture/tickets.ts';

describeOnEachEngine('every scan is listed', (fixture) => {
  test('single controls and batches, refused ones too, in the order in which they happened', async () => {
    const { order, id, performanceId } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const second = order.tickets[1]?.ticketId;
    const { barcode } = await fixture.ticket(id);
    const at = createScanClock();
    const post = (path: string, body: object) => fixture.call('POST', `${PATH}${path}`, { body });
    await post('/control', { barcode, performanceId, gate: 'North', at: at(2) });
    await post(`/${id}/control`, { gate: 'South', at: at(3) });
    await post('/control', { barcode: 'a visiting card: Ana Martin', performanceId, gate: 'North', at: at(1) });
    await post('/control', { barcode, performanceId: `${performanceId}x`, at: at(1) });
    await scan(fixture, [{ nonce: 'in-a-batch', ticketId: second, gate: 'South', at: at(4) }]);
    const query = `performanceId=${performanceId}`;
    const listed = await listScans(fixture, query);
    const control = { at: at(2), gate: 'North' };
    expect(listed).toMatchObject([
      { nonce: null, result: 'refused', reason: 'ticket_unknown_barcode', ticketId: null, at: at(1) },
      { nonce: null, result: 'admitted', reason: null, ticketId: id, place: { label: 'A-1' }, control, gate: 'North' },
      { nonce: null, result: 'repeated', reason: 'ticket_already_controlled', ticketId: id, control, gate: 'South' },
      { nonce: 'in-a-batch', result: 'admitted', ticketId: second, gate: 'South', offline: false },
    ]);
    const stored = await fixture.context.collections(fixture.institution).scans.find();
    expect(JSON.stringify(stored)).not.toContain('Ana Martin');
    expect(JSON.stringify(stored)).not.toContain(barcode);
    const resultsOf = async (more: string) => (await listScans(fixture, query + more)).map(({ result }) => result);
    expect(await resultsOf('&gate=South')).toEqual(['repeated', 'admitted']);
    expect(await resultsOf('&result=refused')).toEqual(['refused']);
    expect(await resultsOf(`&from=${at(2)}&to=${at(4)}`)).toEqual(['admitted', 'repeated']);
    expect(await resultsOf(`&to=${at(2)}`)).toEqual(['refused']);
    const pages = [];
    for (let cursor = ''; ; ) {
      const { data } = await fixture.call('GET', `${PATH}/controls?limit=3&${query}${cursor}`);
      const { items, nextCursor } = data as unknown as { items: { at: string }[]; nextCursor: string | null };
      pages.push(items.map((one) => one.at));
      if (nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(pages).toEqual([[at(1), at(2), at(3)], [at(4)]]);
    const other = await fixture.call('GET', `${PATH}/controls`, { institution: 'museum' });
    expect(other.data.items).toEqual([]);
  });

  test('the door scans and lists; a customer does neither; a point of sale sees the scans of its tickets', async () => {
    const [north, south] = ['north.opera.example', 'south.opera.example'];
    const { id, performanceId } = await issueAndPrint(fixture, { ...createConfirmedOrder(), pointOfSale: north });
    const query = `performanceId=${performanceId}`;
    const items = [{ nonce: `south.${id}`, ticketId: id }];
    const [unknown] = await scan(fixture, items, { user: createBoxOfficeUser(south) });
    expect(unknown).toMatchObject({ result: 'refused', reason: 'not_found', ticketId: null, place: null });
    expect((await scan(fixture, [{ nonce: id, ticketId: id }], { user: door }))[0]?.result).toBe('admitted');
    const seen = async (user: Parameters<typeof listScans>[2]) => (await listScans(fixture, query, user)).length;
    expect([
      await seen({ user: door }),
      await seen({ user: createBoxOfficeUser(north) }),
      await seen({ user: createBoxOfficeUser(south) }),
    ]).toEqual([1, 1, 0]);
    for (const [method, path, body] of [
      ['POST', 'controls', { items: [{ nonce: 'mine', ticketId: id }] }],
      ['GET', 'controls', undefined],
      ['GET', `admissions?${query}`, undefined],
    ] as const)
      expect((await fixture.call(method, `${PATH}/${path}`, { user: createCustomerUser('C1'), body })).status).toBe(
        403,
      );
  });

  test('for 90 days', async () => {
    const ticketId = getFirstTicketId(await issueOrder(fixture));
    await scan(fixture, [{ nonce: `kept.${ticketId}`, ticketId }]);
    const kept = async () =>
      (await fixture.context.collections(fixture.institution).scans.find({ where: { ticketId } })).length;
    const sweepAfter = async (ms: number) => {
      const now = () => Date.now() + ms;
      const logger = { warn: (message: string) => expect(message).toBe('') };
      const sweeper = startSweeper({ store: fixture.store, collections, retention, now, logger });
      await sweeper.sweep();
      await sweeper.close();
      return kept();
    };
    expect(await sweepAfter(SCAN_RETENTION_MS - 60_000)).toBe(1);
    expect(await sweepAfter(SCAN_RETENTION_MS + 60_000)).toBe(0);
  });
});

describeOnEachEngine('a crash between a ticket and its scan admits nobody twice', (fixture) => {
  test.each(['before', 'after'] as const)('%s each write: sent again, the batch has its answers', async (when) => {
    const { order, performanceId } = await issueAndPrint(fixture, createConfirmedOrder(3));
    const [first, second, third] = order.tickets.map(({ ticketId }) => ticketId);
    const at = createScanClock();
    await scan(fixture, [{ nonce: `later.${when}`, ticketId: third, at: at(9) }]);
    const items = [
      { nonce: `a.${when}`, ticketId: first },
      { nonce: `b.${when}`, ticketId: first },
      { nonce: `c.${when}`, ticketId: second, performanceId },
      { nonce: `d.${when}`, ticketId: second, performanceId: 'prf_other' },
      { nonce: `e.${when}`, ticketId: third, at: at(5), offline: true },
    ];
    const crashes = await crashAtEachWrite(fixture.store, (store) => controlWith(fixture, items, { store }), when);
    expect(crashes).toBeGreaterThan(1);
    const answers = await scan(fixture, items);
    expect(answers.map(({ result }) => result)).toEqual(['admitted', 'repeated', 'admitted', 'refused', 'admitted']);
    const listed = await listScans(fixture, `performanceId=${performanceId}`);
    expect(listed.map(({ nonce, result }) => `${nonce} ${result}`).sort()).toEqual([
      `a.${when} admitted`,
      `b.${when} repeated`,
      `c.${when} admitted`,
      `e.${when} admitted`,
      `later.${when} repeated`,
    ]);
    const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.length).toBe(4);
  });

  test('an admitted scan whose answer was lost is admitted again after a reversal, without an effect', async () => {
    const { id } = await issueAndPrint(fixture);
    const items = [{ nonce: `lost.${id}`, ticketId: id }];
    const store = createFailingStore(fixture.store, 'scans');
    await expect(controlWith(fixture, items, { store })).rejects.toThrow('not written');
    await fixture.call('DELETE', `${PATH}/${id}/control`);
    expect((await scan(fixture, items))[0]?.result).toBe('admitted');
    expect((await fixture.ticket(id)).status).toBe('printed');
  });
});

describeOnEachEngine('admissions are counted by gate', (fixture) => {
  const admissions = async (performanceId: string) => {
    const reply = await fixture.call('GET', `${PATH}/admissions?performanceId=${performanceId}`);
    const { asOf, ...counts } = reply.data as unknown as { asOf: string };
    expect(Math.abs(Date.now() - Date.parse(asOf))).toBeLessThan(60_000);
    return counts;
  };

  /** The same performance for the tickets of another order. */
  const at = (performanceId: string, lines: number) => {
    const order = createConfirmedOrder(lines);
    return { ...order, tickets: order.tickets.map((ticket) => ({ ...ticket, performanceId })) };
  };

  test('of the tickets in force: all, those that open the door, and those inside', async () => {
    const performanceId = `prf_${Date.now().toString(36)}`;
    const empty = { performanceId, issued: 0, printed: 0, controlled: 0, gates: [] };
    expect(await admissions(performanceId)).toEqual(empty);
    await issueOrder(fixture, at(performanceId, 1));
    const gone = at(performanceId, 1);
    await issueAndPrint(fixture, gone);
    await fixture.deliver('order.cancelled', toCancelledOrder(gone));
    const { order } = await issueAndPrint(fixture, at(performanceId, 6));
    const [one, two, three, four, five] = order.tickets.map(({ ticketId }) => ticketId);
    await fixture.call('POST', `${PATH}/${five}/replacement`, { body: {} });
    await scan(fixture, [
      { nonce: `${one}`, ticketId: one, gate: 'South' },
      { nonce: `${two}`, ticketId: two, gate: 'North' },
      { nonce: `${three}`, ticketId: three, gate: 'South' },
      { nonce: `${four}`, ticketId: four },
      { nonce: `${one}.2`, ticketId: one, gate: 'North' },
    ]);
    expect(await admissions(performanceId)).toEqual({
      performanceId,
      issued: 7,
      printed: 6,
      controlled: 4,
      gates: [
        { gate: null, controlled: 1 },
        { gate: 'North', controlled: 1 },
        { gate: 'South', controlled: 2 },
      ],
    });
    await fixture.call('DELETE', `${PATH}/${two}/control`);
    expect(await admissions(performanceId)).toMatchObject({ printed: 6, controlled: 3 });
  });

  test.each(['admissions', 'statuses', 'statuses/all'])('%s needs the performance', async (path) => {
    expect(toCodes(await fixture.call('GET', `${PATH}/${path}`))).toEqual([400, 'missing_parameter']);
  });
});

describeOnEachEngine('a scanner downloads the statuses of an evening', (fixture) => {
  const list = async (query: string) => {
    const { data } = await fixture.call('GET', `${PATH}/statuses?${query}`);
    return data as unknown as {
      items: Record<string, unknown>[];
      nextCursor: string | null;
      seatCategories: Record<string, object>;
    };
  };

  test('what decides at the door, and nothing of the buyer', async () => {
    const { about, contactNumber } = shopTicket;
    const sold = addMembers(createConfirmedOrder(4, contactNumber), { about });
    const { order, id, performanceId } = await issueAndPrint(fixture, sold);
    const [first, second, third, fourth] = order.tickets;
    await issueOrder(fixture);
    await fixture.call('POST', `${PATH}/${id}/control`, { body: { gate: 'North' } });
    await fixture.call('POST', `${PATH}/${second?.ticketId}/replacement`, { body: {} });
    await fixture.call('DELETE', `${PATH}/${third?.ticketId}/printing`);
    const { items, nextCursor, seatCategories } = await list(`performanceId=${performanceId}`);
    const seatCategoryId = String(first?.seatCategoryId);
    const open = { controlledAt: null, gate: null, seatCategoryId };
    const { controlledAt } = await fixture.ticket(id);
    const at = (seat: number) => ({ place: `A-${seat}`, row: 'A', seat });
    expect(seatCategories).toEqual({ [seatCategoryId]: about.seatCategory });
    expect(nextCursor).toBeNull();
    expect(items).toHaveLength(5);
    expect(items).toEqual(
      expect.arrayContaining([
        { id, status: 'controlled', ...at(1), seatCategoryId, controlledAt, gate: 'North' },
        { id: second?.ticketId, status: 'invalidated', ...at(2), ...open },
        { id: `${second?.ticketId}_r1`, status: 'printed', ...at(2), ...open },
        { id: third?.ticketId, status: 'not_printed', ...at(3), ...open },
        { id: fourth?.ticketId, status: 'printed', ...at(4), ...open },
      ]),
    );
  });

  test('all in one answer, compressed, as the pages list them', async () => {
    const { performanceId } = await issueAndPrint(fixture, createConfirmedOrder(7));
    const paged: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`performanceId=${performanceId}&limit=3${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    const headers = { 'Accept-Encoding': 'br' };
    const all = await fixture.call('GET', `${PATH}/statuses/all?performanceId=${performanceId}`, { headers });
    expect(all.headers.get('content-encoding')).toBe('br');
    expect(all.data.items).toEqual(paged);
    expect(paged).toHaveLength(7);
    const changes = `performanceId=${performanceId}&modifiedSince=${all.data.asOf}`;
    expect((await list(changes)).items).toHaveLength(7);
  });

  test('later only what changed since, with cancelled ones', async () => {
    const { order, performanceId } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const query = `performanceId=${performanceId}`;
    const { updatedAt } = await fixture.ticket(String(order.tickets[1]?.ticketId));
    const since = new Date(Date.parse(updatedAt) + 1).toISOString();
    await waitUntilAfter(updatedAt);
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    const changed = await list(`${query}&modifiedSince=${since}`);
    expect(changed.items).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
    const tickets = await Promise.all(order.tickets.map(({ ticketId }) => fixture.ticket(ticketId)));
    const last = Math.max(...tickets.map(({ updatedAt: at }) => Date.parse(at)));
    const later = new Date(last + 1).toISOString();
    expect((await list(`${query}&modifiedSince=${later}`)).items).toEqual([]);
  });
});
