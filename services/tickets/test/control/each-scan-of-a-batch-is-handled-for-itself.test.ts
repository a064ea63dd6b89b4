import { beforeEach, expect, test } from '@jest/globals';
import { NONCE_MS } from '../../src/store.ts';
import { describeOnEachEngine, door, PATH } from '../fixture/service.ts';
import {
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

const createDoorUser = (id: string) => ({ ...door, id });

describeOnEachEngine('each scan of a batch is handled for itself', (fixture) => {
  const revert = (id: string) => fixture.call('DELETE', `${PATH}/${id}/control`);

  test('in their order, with the reasons of the single control', async () => {
    const { order, id, performanceId } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const second = order.tickets[1]?.ticketId ?? '';
    const gone = await issueAndPrint(fixture);
    await fixture.deliver('order.cancelled', toCancelledOrder(gone.order));
    const old = await issueAndPrint(fixture);
    await fixture.call('POST', `${PATH}/${old.id}/replacement`, { body: {} });
    const early = getFirstTicketId(await issueOrder(fixture));
    const { barcode } = await fixture.ticket(id);
    const at = createScanClock()(3);
    const answers = await scan(fixture, [
      { nonce: `${id}.1`, barcode: 'nonsense' },
      { nonce: `${id}.2`, barcode, gate: 'North', at, performanceId },
      { nonce: `${id}.3`, ticketId: id, gate: 'South' },
      { nonce: `${id}.4`, ticketId: second, performanceId: 'prf_other' },
      { nonce: `${id}.5`, ticketId: early },
      { nonce: `${id}.6`, ticketId: gone.id },
      { nonce: `${id}.7`, ticketId: old.id },
      { nonce: `${id}.8`, ticketId: 'tic_unknown' },
      { nonce: `${id}.9`, ticketId: second, at: '2099-01-01T00:00:00Z' },
      { nonce: `${id}.A`, ticketId: second },
    ]);
    const control = { at, gate: 'North' };
    expect(answers).toMatchObject([
      { result: 'refused', reason: 'ticket_unknown_barcode', ticketId: null, place: null, performanceId: null },
      { result: 'admitted', reason: null, ticketId: id, place: { label: 'A-1' }, performanceId, control },
      { result: 'repeated', reason: 'ticket_already_controlled', ticketId: id, control },
      { result: 'refused', reason: 'ticket_other_performance', ticketId: second, performanceId, control: null },
      { result: 'refused', reason: 'ticket_not_printed', ticketId: early },
      { result: 'refused', reason: 'ticket_cancelled' },
      { result: 'refused', reason: 'ticket_invalidated' },
      { result: 'refused', reason: 'not_found', ticketId: null },
      { result: 'refused', reason: 'validation_error', ticketId: second, control: null },
      { result: 'admitted', ticketId: second, control: { gate: null } },
    ]);
    expect(answers.map(({ nonce }) => nonce?.slice(-1)).join('')).toBe('123456789A');
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', controlledAt: at, gate: 'North' });
    const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'ticket.controlled');
    // Different tickets are controlled concurrently: their facts may come in either order.
    const data = facts.map((fact) => fact.data);
    expect(data).toContainEqual(expect.objectContaining({ ticketId: id, gate: 'North' }));
    expect(data).toContainEqual(expect.objectContaining({ ticketId: second, gate: null }));
    expect(data).toHaveLength(2);
  });

  test('what is no scan is refused for itself, with the reason of the single control', async () => {
    const { id } = await issueAndPrint(fixture);
    const nonce = (name: string) => `${id}.${name}`;
    const wrong = [
      [{ nonce: nonce('long'), barcode: 'A'.repeat(2_049) }, nonce('long'), 'validation_error'],
      [{ nonce: nonce('empty'), barcode: '' }, nonce('empty'), 'validation_error'],
      [{ nonce: nonce('at'), ticketId: id, at: 'yesterday' }, nonce('at'), 'validation_error'],
      [{ nonce: nonce('gate'), ticketId: id, gate: 'North\u0000' }, nonce('gate'), 'validation_error'],
      [{ nonce: nonce('more'), ticketId: id, seat: 1 }, nonce('more'), 'validation_error'],
      [{ nonce: nonce('both'), ticketId: id, barcode: 'x' }, nonce('both'), 'validation_error'],
      [{ nonce: nonce('none') }, nonce('none'), 'bad_request'],
      [{ nonce: nonce('type'), ticketId: id, offline: 'no' }, nonce('type'), 'bad_request'],
      [{ ticketId: id }, null, 'bad_request'],
      [{ nonce: 'a b', ticketId: id }, null, 'validation_error'],
      [{ nonce: 'n'.repeat(65), ticketId: id }, null, 'validation_error'],
      [{ nonce: 7, ticketId: id }, null, 'bad_request'],
      [null, null, 'bad_request'],
      ['scan', null, 'bad_request'],
      [[], null, 'bad_request'],
    ] as const;
    const answers = await scan(fixture, [...wrong.map(([sent]) => sent), { nonce: nonce('good'), ticketId: id }]);
    const nothing = { ticketId: null, place: null, performanceId: null, control: null };
    expect(answers.slice(0, -1)).toEqual(
      wrong.map(([, name, reason]) => ({ nonce: name, result: 'refused', reason, ...nothing })),
    );
    expect(answers.at(-1)).toMatchObject({ result: 'admitted', ticketId: id });
    const [again] = await scan(fixture, [{ nonce: nonce('long'), ticketId: id }]);
    expect(again).toEqual(answers[0]);
    const listed = await listScans(fixture, 'result=refused');
    expect(listed.filter((one) => one.nonce === nonce('gate'))).toMatchObject([{ gate: null, ...nothing }]);
  });

  test('up to 500, and only their number refuses all', async () => {
    const { order } = await issueAndPrint(fixture, createConfirmedOrder(3));
    const items = Array.from({ length: 500 }, (_, index) => ({
      nonce: `${order.orderId}-${index}`,
      ticketId: order.tickets[index % 3]?.ticketId,
    }));
    const answers = await scan(fixture, items);
    expect(answers.filter(({ result }) => result === 'admitted').map(({ nonce }) => nonce)).toEqual(
      items.slice(0, 3).map(({ nonce }) => nonce),
    );
    expect(answers.filter(({ result }) => result === 'repeated').length).toBe(497);
    for (const [body, code] of [
      [{ items: [...items, { nonce: 'one-more', ticketId: getFirstTicketId(order) }] }, 'validation_error'],
      [{ items: [] }, 'validation_error'],
      [{ items: {} }, 'bad_request'],
      [{}, 'bad_request'],
      [{ items, more: 1 }, 'validation_error'],
    ] as const) {
      const reply = await fixture.call('POST', `${PATH}/controls`, { body });
      expect([code, reply.status, reply.body.status]).toEqual([code, 400, code]);
    }
  });

  test('a nonce has one effect and one answer, per client and user, whatever else is sent with it', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const other = order.tickets[1]?.ticketId ?? '';
    const nonce = `once.${id}`;
    const [first] = await scan(fixture, [{ nonce, ticketId: id, gate: 'North' }]);
    expect(first).toMatchObject({ result: 'admitted', control: { gate: 'North' } });
    expect(await scan(fixture, [{ nonce, ticketId: id, gate: 'North' }])).toEqual([first]);
    await revert(id);
    expect(await scan(fixture, [{ nonce, ticketId: other }])).toEqual([first]);
    expect([(await fixture.ticket(id)).status, (await fixture.ticket(other)).status]).toEqual(['printed', 'printed']);
    const early = getFirstTicketId(await issueOrder(fixture));
    const [refused] = await scan(fixture, [{ nonce: `early.${id}`, ticketId: early }]);
    await fixture.call('POST', `${PATH}/${early}/printing`);
    expect(await scan(fixture, [{ nonce: `early.${id}`, ticketId: early }])).toEqual([refused]);
    const results = [];
    for (const sender of [
      { client: 'other' },
      { user: createDoorUser('usr_1') },
      { user: createDoorUser('usr_2') },
      { client: 'other' },
    ])
      results.push((await scan(fixture, [{ nonce, ticketId: id }], sender))[0]?.result);
    expect(results).toEqual(['admitted', 'repeated', 'repeated', 'admitted']);
  });

  test('a nonce that is twice in a batch counts once', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const [first, second] = await scan(fixture, [
      { nonce: `twice.${id}`, ticketId: id },
      { nonce: `twice.${id}`, ticketId: order.tickets[1]?.ticketId },
    ]);
    expect([first, first?.result]).toEqual([second, 'admitted']);
    expect((await fixture.ticket(order.tickets[1]?.ticketId ?? '')).status).toBe('printed');
  });

  test('the same batch twice at the same time admits once and answers the same', async () => {
    const { order } = await issueAndPrint(fixture, createConfirmedOrder(8));
    const items = order.tickets.map(({ ticketId }) => ({ nonce: ticketId, ticketId }));
    const [one, ...others] = await Promise.all(Array.from({ length: 4 }, () => scan(fixture, items)));
    for (const other of others) expect(other).toEqual(one);
    expect(one?.every(({ result }) => result === 'admitted')).toBe(true);
    const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.length).toBe(8);
  });

  test('a nonce is free again after 30 days, and not before', async () => {
    const { id } = await issueAndPrint(fixture);
    const begin = Date.now();
    const resultAfter = async (ms: number) => {
      const item = { nonce: `month.${id}`, ticketId: id };
      const [answer] = await controlWith(fixture, [item], { now: () => begin + ms });
      return answer?.result;
    };
    expect(await resultAfter(0)).toBe('admitted');
    for (const days of [1, 15, 29]) expect(await resultAfter(days * 86_400_000)).toBe('admitted');
    expect(await resultAfter(NONCE_MS - 1)).toBe('admitted');
    expect(await resultAfter(NONCE_MS + 1)).toBe('repeated');
  });
});

describeOnEachEngine('of two offline scans the earlier is admitted', (fixture) => {
  let at = createScanClock();
  beforeEach(() => {
    at = createScanClock();
  });

  const printedTicket = async () => {
    const { order, id, performanceId } = await issueAndPrint(fixture);
    return { orderId: order.orderId, id, performanceId };
  };
  const offline = (ticketId: string, second: number, more: object = {}) => ({
    nonce: `${ticketId}.${second}`,
    ticketId,
    at: at(second),
    gate: `G${second}`,
    offline: true,
    ...more,
  });
  const listed = async (performanceId: string) =>
    (await listScans(fixture, `performanceId=${performanceId}`)).map(({ result, gate }) => `${gate} ${result}`);

  test('in one batch, whatever their order', async () => {
    const { id, performanceId } = await printedTicket();
    const answers = await scan(fixture, [offline(id, 9), offline(id, 5), offline(id, 7)]);
    const control = { at: at(5), gate: 'G5' };
    expect(answers.map(({ result }) => result)).toEqual(['repeated', 'admitted', 'repeated']);
    for (const answer of answers) expect(answer.control).toEqual(control);
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'G7 repeated', 'G9 repeated']);
  });

  test('one that arrives later but was earlier is the control; what was answered stands', async () => {
    const { id, orderId, performanceId } = await printedTicket();
    const [late] = await scan(fixture, [offline(id, 9)]);
    const [early] = await scan(fixture, [offline(id, 5)]);
    expect([late?.result, early?.result]).toEqual(['admitted', 'admitted']);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', controlledAt: at(5), gate: 'G5' });
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'G9 repeated']);
    const [shown] = await listScans(fixture, `performanceId=${performanceId}&result=repeated`);
    expect(shown).toMatchObject({ reason: 'ticket_already_controlled', control: { at: at(5), gate: 'G5' } });
    expect(await scan(fixture, [offline(id, 9), offline(id, 5)])).toEqual([late, early]);
    const [between] = await scan(fixture, [offline(id, 7)]);
    expect(between).toMatchObject({ result: 'repeated', control: { at: at(5) } });
    const facts = (await fixture.facts(orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.map(({ data }) => data)).toMatchObject([{ controlledAt: at(9) }, { controlledAt: at(5) }]);
  });

  test('also where the later one was a single control', async () => {
    const { id, performanceId } = await printedTicket();
    await fixture.call('POST', `${PATH}/${id}/control`, { body: { gate: 'Desk', at: at(20) } });
    const [answer] = await scan(fixture, [offline(id, 5)]);
    expect(answer?.result).toBe('admitted');
    expect(await fixture.ticket(id)).toMatchObject({ controlledAt: at(5), gate: 'G5' });
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'Desk repeated']);
  });

  test('of two at the same time the first to arrive is admitted', async () => {
    const { id } = await printedTicket();
    const [first] = await scan(fixture, [offline(id, 5)]);
    const [second] = await scan(fixture, [offline(id, 5, { nonce: `${id}.again`, gate: 'Other' })]);
    expect([first?.result, second?.result]).toEqual(['admitted', 'repeated']);
    expect((await fixture.ticket(id)).gate).toBe('G5');
  });

  test('a scan that asks, with an earlier time, is repeated', async () => {
    const { id } = await printedTicket();
    await scan(fixture, [offline(id, 9)]);
    const [answer] = await scan(fixture, [offline(id, 5, { offline: false })]);
    expect(answer).toMatchObject({ result: 'repeated', control: { at: at(9) } });
    expect((await fixture.ticket(id)).controlledAt).toBe(at(9));
  });

  test('three that arrive at the same time leave the earliest as the control and one admitted scan', async () => {
    const { id, performanceId } = await printedTicket();
    await Promise.all([9, 5, 7].map((second) => scan(fixture, [offline(id, second)])));
    expect(await fixture.ticket(id)).toMatchObject({ controlledAt: at(5), gate: 'G5' });
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'G7 repeated', 'G9 repeated']);
  });
});
