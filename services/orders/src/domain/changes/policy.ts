// Until when a line may be returned and exchanged, and what that costs.

import { multiplyByPercent } from '@boxoffice/prices';
import type { NewLine, ReturnFee } from '../order/line.ts';
import type { Order } from '../order/order.ts';
import { markModified } from '../order/state.ts';

/** Allowed while now is before the instant, in epoch milliseconds; null: never. */
export interface ReturnPolicy {
  readonly returnableUntil: number | null;
  readonly returnFee: number;
  readonly exchangeableUntil: number | null;
  readonly exchangeFee: number;
}

const MINUTE_MS = 60_000;

/** Null without a policy. The fees are those of a line that is not allowed to leave, too. */
export function resolveReturnPolicy({
  returnPolicy,
  startDate,
  start,
  amount,
}: Pick<NewLine, 'returnPolicy' | 'startDate' | 'start' | 'amount'>): ReturnPolicy | null {
  if (!returnPolicy) return null;
  const { returnMinutes, returnFee, exchangeMinutes, exchangeFee } = returnPolicy;
  const startsAt = Date.parse(getStart({ start, startDate }));
  const until = (minutes: number | null) => (minutes === null ? null : startsAt - minutes * MINUTE_MS);
  return {
    returnableUntil: until(returnMinutes),
    returnFee: computeReturnFee(returnFee, amount),
    exchangeableUntil: until(exchangeMinutes),
    exchangeFee: computeReturnFee(exchangeFee, amount),
  };
}

const computeReturnFee = (fee: ReturnFee | null, amount: number): number => {
  const { amount: fixed, percent = '0', roundTo } = fee ?? {};
  return Math.min(fixed ?? multiplyByPercent(amount, percent, roundTo), amount);
};

/** Of a performance; `asOf` is its version. */
export interface Start {
  readonly performanceId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly asOf: number;
}

type Starting = Pick<NewLine, 'performanceId' | 'startDate' | 'start' | 'returnPolicy'>;

const getStart = ({ start, startDate }: Pick<NewLine, 'start' | 'startDate'>): string => start?.startDate ?? startDate;

/** A line with a policy follows its performance; the same object if nothing later is known of it. */
export function moveLine<L extends Starting>(line: L, starts: readonly Start[] = []): L {
  const known = starts.find(({ performanceId }) => performanceId === line.performanceId);
  if (!known || !line.returnPolicy || known.asOf <= (line.start?.asOf ?? 0)) return line;
  return { ...line, start: { startDate: known.startDate, asOf: known.asOf } };
}

/** Also those of its changes; the same object if nothing later is known. */
export function moveLines<O extends Order>(order: O, start: Start, now: number): O {
  const move = <L extends Starting>(line: L): L => moveLine(line, [start]);
  const all = [...order.lines, ...(order.changes ?? []).flatMap(({ newLines }) => newLines)];
  if (all.every((line) => move(line) === line)) return order;
  const changes = order.changes?.map((change) => ({ ...change, newLines: change.newLines.map(move) }));
  const next = { ...order, lines: order.lines.map(move), ...(changes && { changes }) };
  return all.some((line) => getStart(move(line)) !== getStart(line)) ? markModified(next, now) : next;
}
