import { expect, test } from '@jest/globals';
import { shopTicket } from '../../src/examples.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';
import { createConfirmedOrder, issueAndPrint, listScans, toCancelledOrder } from '../fixture/tickets.ts';
import { createMemory, createTonight, openEvening, openPhone } from './phones.ts';

describeOnEachEngine('an evening at the door', (fixture) => {
  const begin = (count: number, more = {}) => openEvening(fixture, count, more);

  test('the server decides while it answers, the second scan is repeated, an admission is taken back', async () => {
    const { tickets, texts, open } = await begin(1);
    const { evening } = await open('North');
    const first = await evening.scan({ text: `]Q1${texts[0]}\r\n` });
    const ticketId = tickets[0]?.id;
    expect(first).toMatchObject({ result: 'admitted', place: { label: 'A-1' }, isAlone: false, ticketId });
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'repeated', control: { gate: 'North' } });
    await evening.undo(first.nonce);
    expect(await fixture.ticket(String(ticketId))).toMatchObject({ status: 'printed' });
    expect(await evening.scan({ ticketId })).toMatchObject({ result: 'admitted', isAlone: false });
    expect(await evening.scan({ text: 'scribble' })).toMatchObject({ reason: 'ticket_unknown_barcode' });
  });

  test('the category of a place is told with and without a network, and refusals stay in the list of the phone', async () => {
    const { about } = shopTicket;
    const { texts, open, performanceId } = await begin(2, { about });
    const { evening, setWeather, memory } = await open('North');
    const shown = { place: { label: 'A-1' }, seatCategory: about.seatCategory };
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ isAlone: false, ...shown });
    setWeather('none');
    const again = await openPhone(fixture, { memory });
    again.setWeather('none');
    expect(await again.evening.scan({ text: texts[0] })).toMatchObject({ isAlone: true, ...shown });
    await again.evening.scan({ text: 'scribble' });
    const { evening: last } = await openPhone(fixture, { memory });
    expect(last.queue.pending()).toBe(0);
    expect(last.queue.all().map(({ shown }: { shown: { reason: string } }) => shown.reason)).toEqual([
      null,
      'ticket_already_controlled',
      'ticket_unknown_barcode',
    ]);
    await last.synchronise();
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toHaveLength(1);
  });

  test('without a network the phone decides, and what it admitted is sent once', async () => {
    const { tickets, texts, open, performanceId } = await begin(3);
    const { evening, setWeather, memory } = await open('North');
    setWeather('none');
    const at = new Date().toISOString();
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'admitted', isAlone: true, isNew: false });
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'repeated', control: { gate: 'North' } });
    expect(await evening.scan({ text: texts[1] })).toMatchObject({ result: 'admitted' });
    const mistaken = await evening.scan({ text: texts[2] });
    await evening.undo(mistaken.nonce);
    expect(evening.queue.pending()).toBe(2);
    // The page is closed and opened again.
    const again = await openPhone(fixture, { memory });
    expect(again.evening.queue.pending()).toBe(2);
    expect(await again.evening.scan({ text: texts[1] })).toMatchObject({ result: 'repeated' });
    await again.evening.synchronise();
    expect(again.evening.queue.pending()).toBe(0);
    const recorded = await listScans(fixture, `performanceId=${performanceId}`);
    expect(recorded.map(({ ticketId, result }) => [ticketId, result])).toEqual(
      tickets.slice(0, 2).map(({ id }) => [id, 'admitted']),
    );
    const [first, , last] = await Promise.all(tickets.map(({ id }) => fixture.ticket(id)));
    expect(first).toMatchObject({ status: 'controlled', gate: 'North' });
    expect(String(first?.controlledAt) >= at).toBe(true);
    expect(last?.status).toBe('printed');
    expect(again.evening.queue.contradictions()).toEqual([]);
  });

  test('a scan whose answer is lost is decided alone and sent again without another effect', async () => {
    const { texts, open, performanceId } = await begin(1);
    const { evening, setWeather } = await open('North');
    setWeather('lost answers');
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'admitted', isAlone: true });
    await expect(evening.synchronise()).rejects.toThrow();
    setWeather('good');
    await evening.synchronise();
    expect(evening.queue.contradictions()).toEqual([]);
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toMatchObject([
      { result: 'admitted', gate: 'North' },
    ]);
  });

  test.each([429, 503])(
    'a server that answers %d is left alone as long as it says, then gets what waits',
    async (status) => {
      const { texts, open, performanceId } = await begin(2);
      let now = Date.now();
      const { evening, setWeather, requests } = await open('North', { clock: () => now });
      setWeather({ status, headers: { 'Retry-After': '30' } });
      expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'admitted', isAlone: true });
      const asked = requests();
      setWeather('good');
      now += 29_999;
      expect(await evening.scan({ text: texts[1] })).toMatchObject({ result: 'admitted', isAlone: true });
      await expect(evening.synchronise()).rejects.toThrow('paused');
      expect([requests(), evening.queue.pending()]).toEqual([asked, 2]);
      now += 1;
      await evening.synchronise();
      expect([evening.queue.pending(), evening.queue.contradictions()]).toEqual([0, []]);
      const recorded = await listScans(fixture, `performanceId=${performanceId}`);
      expect(recorded.map(({ result }) => result)).toEqual(['admitted', 'admitted']);
    },
  );

  test('a session that has ended stops nobody, and what waits is sent after the next sign-in', async () => {
    const { texts, open, performanceId } = await begin(2);
    const { evening, setWeather, link, memory } = await open('North');
    setWeather({ status: 401 });
    for (const text of texts) expect(await evening.scan({ text })).toMatchObject({ result: 'admitted', isAlone: true });
    await expect(evening.synchronise()).rejects.toThrow();
    expect([link.isSignedOut(), evening.queue.pending()]).toEqual([true, 2]);
    // Signing in loads the page anew.
    const again = await openPhone(fixture, { memory });
    expect([again.evening.queue.pending(), await listScans(fixture, `performanceId=${performanceId}`)]).toEqual([
      2,
      [],
    ]);
    await again.evening.synchronise();
    expect([again.evening.queue.pending(), again.evening.queue.contradictions()]).toEqual([0, []]);
    const recorded = await listScans(fixture, `performanceId=${performanceId}`);
    expect(recorded.map(({ result }) => result)).toEqual(['admitted', 'admitted']);
  });

  test('what the server admits unheard although the phone refuses is taken back', async () => {
    const { tickets, texts, open, performanceId } = await begin(1);
    await fixture.call('DELETE', `${PATH}/${tickets[0]?.id}/printing`);
    const { evening, setWeather } = await open('North');
    await fixture.call('POST', `${PATH}/${tickets[0]?.id}/printing`);
    setWeather('lost answers');
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ reason: 'ticket_not_printed', isAlone: true });
    expect(await fixture.ticket(String(tickets[0]?.id))).toMatchObject({ status: 'controlled' });
    setWeather('good');
    await evening.synchronise();
    expect(await fixture.ticket(String(tickets[0]?.id))).toMatchObject({ status: 'printed' });
    expect(evening.queue.pending()).toBe(0);
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toHaveLength(1);
  });

  test.each([
    ['the earlier one', 0],
    ['the later one', 1],
  ])('two doors without a network admit one ticket: the later is told so, where %s sends first', async (_, first) => {
    const { texts, open, performanceId } = await begin(1);
    const early = await open('North', { clock: () => Date.now() - 2_000 });
    const late = await open('South');
    for (const { evening, setWeather } of [early, late]) {
      setWeather('none');
      expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'admitted' });
      setWeather('good');
    }
    const order = first === 0 ? [early, late] : [late, early];
    for (const phone of [...order, ...order]) await phone.evening.synchronise();
    expect(early.evening.queue.contradictions()).toEqual([]);
    const found = late.evening.queue.contradictions();
    expect(found).toMatchObject([{ contradiction: { result: 'repeated', control: { gate: 'North' } } }]);
    expect(
      (await listScans(fixture, `performanceId=${performanceId}`)).map(({ result, gate }) => [result, gate]),
    ).toEqual([
      ['admitted', 'North'],
      ['repeated', 'South'],
    ]);
    await late.evening.queue.acknowledge();
    await late.evening.synchronise();
    expect(late.evening.queue.contradictions()).toEqual([]);
  });

  test.each([-3_600_000, 3_600_000])('a phone whose clock is wrong by %d ms sends the right time', async (wrong) => {
    const { tickets, texts, open } = await begin(1);
    const { evening, setWeather } = await open('North', { clock: () => Date.now() + wrong });
    setWeather('none');
    const before = Date.now();
    await evening.scan({ text: texts[0] });
    setWeather('good');
    await evening.synchronise();
    const { controlledAt } = await fixture.ticket(String(tickets[0]?.id));
    expect(Math.abs(Date.parse(String(controlledAt)) - before)).toBeLessThan(60_000);
  });

  test('later downloads bring what changed: cancelled, controlled elsewhere, sold', async () => {
    const { order, tickets: both, texts, open, performanceId } = await begin(2);
    const { evening, setWeather } = await open('North');
    const further = createConfirmedOrder();
    const tickets = further.tickets.map((ticket) => ({ ...ticket, performanceId }));
    const later = await issueAndPrint(fixture, { ...further, tickets });
    const sold = await fixture.ticket(later.id);
    setWeather('none');
    expect(await evening.scan({ text: sold.barcode })).toMatchObject({ result: 'admitted', isNew: true });
    expect(await evening.scan({ ticketId: later.id })).toMatchObject({ result: 'repeated' });
    setWeather('good');
    await fixture.call('POST', `${PATH}/${both[0]?.id}/control`, { body: { gate: 'South' } });
    await evening.synchronise();
    expect(evening.statuses.all()).toHaveLength(3);
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    await evening.synchronise();
    setWeather('none');
    expect(await evening.scan({ text: texts[0] })).toMatchObject({ result: 'repeated', control: { gate: 'South' } });
    expect(await evening.scan({ text: texts[1] })).toMatchObject({ reason: 'ticket_cancelled' });
  });

  test('a ticket of another evening, of one of two, and a door that has no list yet', async () => {
    const [one, other, third] = [await begin(1), await begin(1), await begin(1)];
    const { evening, setWeather } = await openPhone(fixture);
    await evening.choose([...createTonight(one.performanceId), ...createTonight(other.performanceId)], '');
    setWeather('none');
    expect(await evening.scan({ text: one.texts[0] })).toMatchObject({ result: 'undecided' });
    setWeather('good');
    // Typed, and not in a list yet: the server alone knows for which of the two it is.
    const typed = await evening.scan({ ticketId: other.tickets[0]?.id });
    expect(typed).toMatchObject({ result: 'undecided' });
    await evening.synchronise();
    expect(await evening.scan({ text: one.texts[0] })).toMatchObject({ result: 'admitted', isAlone: false });
    expect(await evening.scan({ text: third.texts[0] })).toMatchObject({ reason: 'ticket_other_performance' });
    setWeather('none');
    expect(await evening.scan({ text: other.texts[0] })).toMatchObject({ result: 'admitted', isAlone: true });
    expect(await evening.scan({ text: third.texts[0] })).toMatchObject({ reason: 'ticket_other_performance' });
  });

  test('after the evening nothing is left but scans that were not sent', async () => {
    const { texts, open, performanceId } = await begin(1);
    const memory = createMemory();
    const { setWeather, evening } = await open('North', { memory });
    setWeather('none');
    await evening.scan({ text: texts[0] });
    const tomorrow = () => Date.now() + 86_400_000;
    const { evening: next } = await openPhone(fixture, { memory, clock: tomorrow });
    expect([next.door().performances, next.door().gate, next.statuses.all()]).toEqual([[], 'North', []]);
    await new Promise(setImmediate);
    expect(memory.count('statuses')).toBe(0);
    await next.synchronise();
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toMatchObject([{ result: 'admitted' }]);
    await next.forget();
    expect([memory.count('scans'), memory.count('statuses')]).toEqual([0, 0]);
  });
});
