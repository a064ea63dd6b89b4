// Until when a line may be returned and exchanged, and what that costs.

import { type ReturnPolicy, resolveReturnTerms } from '@boxoffice/prices';
import type { NewLine } from '../order/line.ts';
import type { Order } from '../order/order.ts';
import { markModified } from '../order/state.ts';

/** Null without a policy. */
export function resolveReturnPolicy({
  returnPolicy,
  amount,
  ...line
}: Pick<NewLine, 'returnPolicy' | 'startDate' | 'start' | 'amount'>): ReturnPolicy | null {
  return returnPolicy ? resolveReturnTerms(returnPolicy, { startDate: getStart(line), amount }) : null;
}

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
