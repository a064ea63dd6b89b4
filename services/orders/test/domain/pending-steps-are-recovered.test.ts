import { describe, expect, test } from '@jest/globals';
import { beginConfirm } from '../../src/domain/confirmation.ts';
import { beginExtension } from '../../src/domain/hold.ts';
import { addLines, beginLines, failLines, released, removeLine } from '../../src/domain/lines.ts';
import { open } from '../../src/domain/opening.ts';
import { recovery, takeOver } from '../../src/domain/recovery.ts';
import { draft, expectRefused, NOW, newLine, next, openOrder } from './samples.ts';

const LATER = NOW + 5_000;
const FROM_DEAD = { from: undefined, to: 'lea_next' };

describe('recovery', () => {
  test.each([
    ['abandon_draft', draft()],
    ['sell', next(beginConfirm(openOrder(), { request: 'r', onAccount: true }, NOW))],
    ['abandon_lines', next(beginLines(openOrder(), { request: 'r', quantity: 1 }, NOW))],
    ['release', next(removeLine(openOrder(), { request: 'r', lineId: 'lin_1' }, NOW))],
    ['hold_longer', next(beginExtension(openOrder(), { request: 'r', minutes: 5 }, NOW))],
  ])('chooses the action %p for the step of a dead process', (action, order) => {
    expect(recovery(order).action).toBe(action);
  });

  test('has no action without a pending step', () => {
    expect(recovery(openOrder())).toEqual({ action: 'none' });
    expectRefused(takeOver(openOrder(), FROM_DEAD, LATER), 'step_lost');
  });

  test('is taken over by one process from the owner that it observed dead, with the same request', () => {
    expectRefused(takeOver(draft(), { from: 'lea_other', to: 'lea_next' }, LATER), 'busy');
    const order = next(beginExtension(openOrder(), { request: 'r', minutes: 5 }, NOW));
    const resumed = next(takeOver(order, FROM_DEAD, LATER));
    expect(resumed.pendingStep).toEqual({ ...order.pendingStep, since: LATER, owner: 'lea_next' });
    expectRefused(takeOver(resumed, FROM_DEAD, LATER), 'busy');
  });

  test('of a release continues under another request id, so that the first process cannot end it', () => {
    const removing = next(removeLine(openOrder(), { request: 'r', lineId: 'lin_1' }, NOW));
    const resumed = next(takeOver(removing, FROM_DEAD, LATER));
    expect(recovery(resumed)).toEqual({ action: 'release', pending: resumed.pendingStep });
    expectRefused(released(resumed, { request: 'r' }, LATER), 'step_lost');
    expect(next(released(resumed, { request: 'r~2' }, LATER)).pendingStep).toBeNull();
    expect(next(takeOver(resumed, { from: 'lea_next', to: 'lea_third' }, LATER)).pendingStep?.request).toBe('r~3');
  });

  test('of an aborted step prevents its first process from completing it', () => {
    const hold = { request: 'create', lines: [newLine(1)], currency: 'CHF', until: LATER + 1 };
    expectRefused(open(next(takeOver(draft(), FROM_DEAD, LATER)), hold, LATER), 'step_lost');
    const aborting = next(
      takeOver(next(beginLines(openOrder(), { request: 'create', quantity: 1 }, NOW)), FROM_DEAD, LATER),
    );
    expectRefused(addLines(aborting, hold, LATER), 'step_lost');
    expect(next(failLines(aborting, { request: 'create' }, LATER)).pendingStep).toBeNull();
  });
});
