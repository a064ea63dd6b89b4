import { computeDigest } from '@boxoffice/runtime';
import { buildWithFees, isForEverybody, type WithFees } from '../domain/pricing.ts';
import { selectLater } from '../domain/product.ts';
import type { Collections, InstitutionDocument, RuleDocument } from '../store.ts';

/** What everybody pays on a ticket beside its price. */
export interface TicketFees {
  readonly withFees: WithFees;
  /** Is part of the ETag of what shows prices; empty without fees. */
  readonly mark: string;
  /** The last change of a fee, which may have changed what any place costs. ISO 8601 UTC, or empty. */
  readonly changedAt: string;
}

export async function readTicketFees(
  { institution: id, institutions, priceRules }: Collections,
  known?: InstitutionDocument,
): Promise<TicketFees> {
  const institution = known ?? (await institutions.get(id));
  if (!institution?.priced) return computeTicketFees([]);
  return computeTicketFees(await priceRules.find({ where: { 'rule.kind': 'fee' }, orderBy: 'createdAt' }));
}

/** Of all fees of an institution; other rules are ignored. */
export function computeTicketFees(rules: readonly RuleDocument[]): TicketFees {
  const fees = rules.filter(({ rule }) => rule.kind === 'fee');
  const shown = fees.flatMap(({ rule }) => (isForEverybody(rule) ? [rule] : []));
  const parts = shown.map(({ amount, percent, roundTo }) => JSON.stringify([amount, percent, roundTo]));
  return {
    withFees: buildWithFees(shown),
    mark: shown.length > 0 ? `.${computeDigest(parts).toString('base64url').slice(0, 10)}` : '',
    changedAt: fees.map(({ updatedAt }) => updatedAt).reduce(selectLater, ''),
  };
}
