// What refuses a change of a confirmed order (commerce, section 5), step by step.

import { type Refusal, type Refused, refuse } from '../decisions.ts';
import { isControlled } from '../lines.ts';
import type { Line, Order } from '../order/order.ts';
import { isPastDue } from '../order/state.ts';
import { findPendingChange } from './change.ts';
import { resolveReturnPolicy } from './policy.ts';

export interface ReturnInput {
  readonly lineId: string;
  readonly reason?: string | undefined;
}

export interface ExchangeInput {
  readonly lineId: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly placeId?: string | undefined;
}

export interface ChangeInput {
  readonly returns: readonly ReturnInput[];
  readonly exchanges: readonly ExchangeInput[];
  /** Lifts the policy's limits and, of returns, controlled tickets. */
  readonly override: boolean;
  readonly waiveFees: boolean;
}

/** `lineId` is null where it concerns the whole order. */
export interface ChangeRefusal {
  readonly lineId: string | null;
  readonly refusal: Refusal;
}

const toRefusal = (lineId: string | null, { refused }: Refused): ChangeRefusal => ({ lineId, refusal: refused });

/** `not_changeable`, by its state. */
export function refuseChangeByState({ state }: Pick<Order, 'state'>): Refused {
  const { refused } = refuse('not_changeable', `The order is ${state}, so its lines cannot be returned or exchanged.`);
  return { refused: { ...refused, state } };
}

/** Of the order as it is; `not_changeable`, `change_in_progress`. */
export function checkOrderChangeable(order: Order, now: number): Refused | undefined {
  if (order.saleDue) return refuse('sale_due');
  if (isPastDue(order, now)) return refuse('past_due', "The order's deadline has passed, so it cannot be changed.");
  if (order.state !== 'confirmed') return refuseChangeByState(order);
  const pending = findPendingChange(order);
  return pending && refuse('change_in_progress', `The change ${pending.id} of the order is pending.`);
}

/** Of each line that the order does not have (any more). */
export function listUnknownLines({ lines }: Pick<Order, 'lines'>, input: ChangeInput): ChangeRefusal[] {
  return listLeaving(input).flatMap(({ lineId }) =>
    lines.some(({ id }) => id === lineId)
      ? []
      : [toRefusal(lineId, refuse('invalid_reference', `The order has no line ${lineId}.`))],
  );
}

/** Of lines outside the policy, else of those whose ticket is controlled. `controlled`: ids by the tickets service. */
export function listLineRefusals(
  order: Order,
  input: ChangeInput,
  controlled: readonly string[],
  now: number,
): ChangeRefusal[] {
  const leaving = listLeaving(input).flatMap(({ lineId, kind }) => {
    const line = order.lines.find(({ id }) => id === lineId);
    return line ? [{ line, kind }] : [];
  });
  const outside = input.override ? [] : leaving.filter(({ line, kind }) => !isAllowed(line, kind, now));
  if (outside.length > 0)
    return outside.map(({ line, kind }) =>
      toRefusal(line.id, refuse('change_not_allowed', `The line ${line.id} ${explain(line, kind)}`)),
    );
  return leaving
    .filter(({ line, kind }) => !(input.override && kind === 'return') && isControlled(order, line, controlled))
    .map(({ line }) =>
      toRefusal(line.id, refuse('change_ticket_controlled', `The ticket of the line ${line.id} is controlled.`)),
    );
}

type Kind = 'return' | 'exchange';

const listLeaving = ({ returns, exchanges }: ChangeInput): { readonly lineId: string; readonly kind: Kind }[] => [
  ...returns.map(({ lineId }) => ({ lineId, kind: 'return' as const })),
  ...exchanges.map(({ lineId }) => ({ lineId, kind: 'exchange' as const })),
];

const getEnd = (line: Line, kind: Kind): number | null => {
  const policy = resolveReturnPolicy(line);
  return (kind === 'return' ? policy?.returnableUntil : policy?.exchangeableUntil) ?? null;
};

const isAllowed = (line: Line, kind: Kind, now: number): boolean => now < (getEnd(line, kind) ?? 0);

const explain = (line: Line, kind: Kind): string => {
  const [end, done] = [getEnd(line, kind), kind === 'return' ? 'returned' : 'exchanged'];
  return end === null
    ? `cannot be ${done}, by its return policy.`
    : `could be ${done} until ${new Date(end).toISOString()}, by its return policy.`;
};
