import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import { readSettings } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';

const { sessionAbsoluteSeconds } = pos.settings as NonNullable<typeof pos.settings>;
const read = (seconds: number) => readSettings({ sessionAbsoluteSeconds }, { SESSION_ABSOLUTE_SECONDS: `${seconds}` });

test('a session lasts at most as long as an abandoned cart is stored', () => {
  const [end] = orders.retention?.({} as never, {} as never).orders?.ends ?? [];
  const seconds = Number(end?.afterMs) / 1_000;
  expect(read(seconds)).toEqual({ sessionAbsoluteSeconds: seconds });
  expect(() => read(seconds + 1)).toThrow('SESSION_ABSOLUTE_SECONDS');
});
