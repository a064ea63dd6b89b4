import { describe, expect, test } from '@jest/globals';
import { findTimeProblem } from '../../src/domain/control.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';
import { controlWith, createScanClock, issueAndPrint, listScans, scan } from '../fixture/tickets.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NEVER = ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2099-01-01T00:00:00Z'];

describe('the time of a scan', () => {
  const now = Date.parse('2027-03-14T19:00:00.000Z');
  const iso = (ms: number) => new Date(ms).toISOString();
  const isPossible = (at: number, issuedAt?: number) =>
    findTimeProblem({ at: iso(at) }, iso(now), issuedAt === undefined ? undefined : { createdAt: iso(issuedAt) }) ===
    undefined;

  test('is at most 5 minutes ahead, and at most 7 days ago', () => {
    expect([isPossible(now), isPossible(now + 5 * MINUTE), isPossible(now - 7 * DAY)]).toEqual([true, true, true]);
    expect([isPossible(now + 5 * MINUTE + 1), isPossible(now - 7 * DAY - 1)]).toEqual([false, false]);
  });

  test("is at most 5 minutes before the ticket's issue", () => {
    const issuedAt = now - DAY;
    expect([isPossible(issuedAt, issuedAt), isPossible(issuedAt - 5 * MINUTE, issuedAt)]).toEqual([true, true]);
    expect(isPossible(issuedAt - 5 * MINUTE - 1, issuedAt)).toBe(false);
  });
});

describeOnEachEngine('a scan at a time at which it cannot have happened', (fixture) => {
  test('is refused, also offline, and does not use its nonce', async () => {
    const { id, performanceId } = await issueAndPrint(fixture);
    const beforeIssue = createScanClock()(-600);
    const times = [...NEVER, beforeIssue];
    const items = times.flatMap((at, index) =>
      [true, false].map((offline) => ({
        nonce: `${id}.${index}.${offline}`,
        ticketId: id,
        performanceId,
        at,
        offline,
      })),
    );
    const refused = { result: 'refused', reason: 'validation_error', ticketId: id, performanceId, control: null };
    expect(await scan(fixture, items)).toMatchObject(items.map(({ nonce }) => ({ nonce, ...refused })));
    expect((await fixture.ticket(id)).status).toBe('printed');
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toHaveLength(items.length);
    const [first] = items;
    const again = { nonce: first?.nonce, ticketId: id };
    const [admitted] = await scan(fixture, [again]);
    expect(admitted).toMatchObject({ result: 'admitted', ticketId: id });
    // A known nonce has its answer first.
    expect(await scan(fixture, [{ ...again, at: NEVER[0], offline: true }])).toEqual([admitted]);
  });

  test('of a code of nobody is refused for its time, too', async () => {
    const [answer] = await scan(fixture, [{ nonce: 'scribble', barcode: 'scribble', at: NEVER[0], offline: true }]);
    expect(answer).toMatchObject({ result: 'refused', reason: 'validation_error', ticketId: null });
    const [again] = await scan(fixture, [{ nonce: 'scribble', barcode: 'scribble' }]);
    expect(again?.reason).toBe('ticket_unknown_barcode');
  });

  test('is 400 validation_error of a single control, whatever the status of the ticket', async () => {
    const { id } = await issueAndPrint(fixture);
    const { barcode } = await fixture.ticket(id);
    const refused = async (at: string) => {
      const byId = await fixture.call('POST', `${PATH}/${id}/control`, { body: { at } });
      const byCode = await fixture.call('POST', `${PATH}/control`, { body: { barcode, at } });
      return [byId, byCode].map(({ status, body }) => [status, body.status]);
    };
    const wrong = [400, 'validation_error'];
    for (const at of [...NEVER, createScanClock()(-600)]) expect(await refused(at)).toEqual([wrong, wrong]);
    expect((await fixture.ticket(id)).status).toBe('printed');
    const soon = { at: createScanClock()(60) };
    expect((await fixture.call('POST', `${PATH}/${id}/control`, { body: soon })).status).toBe(200);
    expect(await refused('1970-01-01T00:00:00Z')).toEqual([wrong, wrong]);
  });

  test('is refused once 7 days have passed, although the ticket is older', async () => {
    const { id } = await issueAndPrint(fixture);
    const begin = Date.now();
    const resultAfter = async (ms: number) => {
      const item = { nonce: `late.${id}.${ms}`, ticketId: id, at: new Date(begin).toISOString(), offline: true };
      const [answer] = await controlWith(fixture, [item], { now: () => begin + ms });
      return [answer?.result, answer?.reason];
    };
    expect(await resultAfter(7 * DAY + 1)).toEqual(['refused', 'validation_error']);
    expect(await resultAfter(7 * DAY)).toEqual(['admitted', null]);
  });
});
