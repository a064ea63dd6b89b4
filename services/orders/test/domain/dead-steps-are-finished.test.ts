import { describe, expect, test } from '@jest/globals';
import { MARK_LIFETIME_MS } from '../../src/domain/begun.ts';
import { beginConfirm } from '../../src/domain/confirmation.ts';
import { beginExtension } from '../../src/domain/holding.ts';
import { addLines, beginLines, failLines, released, removeLine } from '../../src/domain/lines.ts';
import { open } from '../../src/domain/opening.ts';
import { recovery, takeOver } from '../../src/domain/recovery.ts';
import { draft, expectRefused, NOW, newLine, next, openOrder } from './samples.ts';

const DEAD = NOW + MARK_LIFETIME_MS;

describe('recovery', () => {
  test.each([
    ['drop', draft()],
    ['sell', next(beginConfirm(openOrder(), { request: 'r', onAccount: true }, NOW))],
    ['undo_lines', next(beginLines(openOrder(), { request: 'r', quantity: 1 }, NOW))],
    ['release', next(removeLine(openOrder(), { request: 'r', lineId: 'lin_1' }, NOW))],
    ['hold_longer', next(beginExtension(openOrder(), { request: 'r', minutes: 5 }, NOW))],
  ])('does %p when the process of the step is dead, and nothing before', (action, order) => {
    expect(recovery(order, DEAD - 1)).toEqual({ action: 'none' });
    expect(recovery(order, DEAD).action).toBe(action);
  });

  test('has nothing to do without a mark', () => {
    expect(recovery(openOrder(), DEAD)).toEqual({ action: 'none' });
    expectRefused(takeOver(openOrder(), DEAD), 'lost_mark');
  });

  test('is taken over by one, for as long as a step may take, as the same request', () => {
    expectRefused(takeOver(draft(), DEAD - 1), 'busy');
    const order = next(beginExtension(openOrder(), { request: 'r', minutes: 5 }, NOW));
    const mine = next(takeOver(order, DEAD));
    expect(mine.begun).toEqual({ ...order.begun, since: DEAD });
    expectRefused(takeOver(mine, DEAD), 'busy');
  });

  test('of a release goes on under another name, so that the process that began it cannot end it', () => {
    const removing = next(removeLine(openOrder(), { request: 'r', lineId: 'lin_1' }, NOW));
    const mine = next(takeOver(removing, DEAD));
    expect(recovery(removing, DEAD)).toEqual({ action: 'release', mark: mine.begun });
    expectRefused(released(mine, { request: 'r' }, DEAD), 'lost_mark');
    expect(next(released(mine, { request: 'r~2' }, DEAD)).begun).toBeNull();
    expect(next(takeOver(mine, DEAD * 2)).begun?.request).toBe('r~3');
  });

  test('of a step that is undone keeps a process that comes back from completing it', () => {
    const hold = { request: 'create', lines: [newLine(1)], currency: 'CHF', until: DEAD + 1 };
    expectRefused(open(next(takeOver(draft(), DEAD)), hold, DEAD), 'lost_mark');
    const undone = next(takeOver(next(beginLines(openOrder(), { request: 'create', quantity: 1 }, NOW)), DEAD));
    expectRefused(addLines(undone, hold, DEAD), 'lost_mark');
    expect(next(failLines(undone, { request: 'create' }, DEAD)).begun).toBeNull();
  });
});
