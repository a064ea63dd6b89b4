import { type Claim, claimsIn, type Evidence, grouped } from './evidence.ts';
import { leftoversOf } from './interrupted.ts';
import type { Check } from './verdict.ts';

const claimed = ({ order: { id, state, expiresAt, dueAt }, as }: Claim): string =>
  `${id} (${[state, as, ...(expiresAt ? [`expires ${expiresAt}`] : []), ...(dueAt ? [`due ${dueAt}`] : [])].join(', ')})`;

/**
 * I1: the counts add up and agree with the places, and every place that is not free belongs to exactly one order, or is
 * what a dead process left until its hold ends.
 */
export const checkStock = (evidence: Evidence, check: Check): void => {
  const { entries, observed, closed } = evidence;
  const { stock, places } = observed;
  const { explain, checkHolds } = leftoversOf(evidence);
  for (const { id, capacity, free, held, sold } of stock) {
    check.that('I1', free + held + sold === capacity, () => `${id}: ${free} + ${held} + ${sold} is not ${capacity}`);
  }
  for (const state of ['free', 'held', 'sold'] as const) {
    const counted = places.filter((place) => place.state === state).length;
    const reported = stock.reduce((sum, category) => sum + category[state], 0);
    check.that('I1', counted === reported, () => `${counted} places are ${state}, availability says ${reported}`);
  }

  const claims = grouped(claimsIn(observed), ({ line }) => line.place.id);
  const listed = new Set(places.map(({ id }) => id));
  for (const place of places) {
    const { id, state } = place;
    const of = claims.get(id) ?? [];
    const who = () => of.map(claimed).join(', ') || 'nobody';
    check.that('I1', of.length <= 1, () => `place ${id} is claimed by ${who()}`);
    const [claim] = of;
    check.that(
      'I1',
      (claim?.as ?? 'free') === state || explain(place, claim),
      () => `place ${id} is ${state}, claimed by ${who()}`,
    );
  }
  checkHolds(check);
  for (const id of claims.keys()) check.that('I1', listed.has(id), () => `place ${id} is claimed and does not exist`);

  // Sales as the clients count them, each order once.
  const acknowledged = new Set(
    entries.filter(({ action, outcome }) => action === 'confirm' && outcome === 'ok').map(({ subject }) => subject),
  );
  const undone = new Set(
    entries.filter(({ action, outcome }) => action === 'cancel' && outcome !== 'refused').map(({ subject }) => subject),
  );
  const acknowledgedOrders = observed.orders.filter(({ id }) => acknowledged.has(id) && !undone.has(id));
  const count = acknowledgedOrders.reduce((sum, { lines }) => sum + lines.length, 0);
  const sold = stock.reduce((sum, category) => sum + category.sold, 0);
  check.that('I1', closed || count <= sold, () => `clients were promised ${count} sold places, ${sold} are sold`);
};
