import { type Channels, chargeTicketFees, type Discount, type DiscountTerms, toFeeEffect } from '@boxoffice/prices';
import { isEndBeforeStart } from './product.ts';
import type { Texts } from './tariff.ts';

export interface TaxDetails {
  readonly kind: 'tax';
  readonly code: string;
  readonly name: Texts;
  /** A decimal string without trailing zeros, as all percentages. */
  readonly rate: string;
}

export const ruleStates = ['active', 'paused'] as const;
type RuleState = (typeof ruleStates)[number];

export const feeUnits = ['ticket', 'order'] as const;

/** Either `amount` or `percent` with `roundTo`. Amounts are in minor units. */
export interface FeeDetails {
  readonly kind: 'fee';
  readonly code: string;
  readonly name: Texts;
  readonly per: (typeof feeUnits)[number];
  readonly amount: number | null;
  readonly percent: string | null;
  readonly roundTo: number | null;
  readonly taxId: string | null;
  readonly channels: Channels | null;
  readonly state: RuleState;
}

export const triggers = ['automatic', 'code'] as const;

type Offered = Omit<DiscountTerms, 'id' | 'createdAt' | 'criterion'> &
  Pick<Discount, 'state' | 'validFrom' | 'validTo'>;

export interface DiscountDetails extends Offered {
  readonly kind: 'discount';
  readonly criterion: 'member' | null;
  readonly limits: { readonly uses: number | null; readonly usesPerOrder: number | null } | null;
}

export type RuleDetails = TaxDetails | FeeDetails | DiscountDetails;
export type RuleKind = RuleDetails['kind'];

export interface PriceRule<Details extends RuleDetails = RuleDetails> {
  readonly rule: Details;
  /** On what every hold reads: taxes, active fees, and active automatic discounts. */
  readonly applies?: 'always' | undefined;
  /** Counts the visible changes; the ETag. */
  readonly revision: number;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** No channel named is none at all: it admits everybody. */
export function normaliseChannels(given: Partial<Channels> | null | undefined): Channels | null {
  const hosts = given?.pointsOfSale?.map((host) => host.toLowerCase()) ?? [];
  const channels = { pointsOfSale: [...new Set(hosts)], clientIds: [...new Set(given?.clientIds)] };
  return channels.pointsOfSale.length + channels.clientIds.length > 0 ? channels : null;
}

/** What of the channels is a caller's own; undefined if they do not admit it. `hosts`: its points of sale; null: all. */
export function selectOwnChannels(
  channels: Channels | null,
  { client, hosts }: { readonly client: string; readonly hosts: readonly string[] | null },
): Channels | null | undefined {
  if (channels === null) return null;
  const own = {
    pointsOfSale: channels.pointsOfSale.filter((host) => hosts?.includes(host) ?? true),
    clientIds: channels.clientIds.filter((id) => id === client),
  };
  return own.pointsOfSale.length + own.clientIds.length > 0 ? own : undefined;
}

export function isUnconditional(rule: RuleDetails): boolean {
  if (rule.kind === 'tax') return true;
  return rule.state === 'active' && (rule.kind === 'fee' || rule.trigger === 'automatic');
}

interface GivenRounding {
  readonly roundTo?: number | null;
}

/** Faults of form, each with its path. `given`: the request, of which a merge may leave `roundTo` without effect. */
export function findFormProblems(
  rule: RuleDetails,
  given: GivenRounding & { readonly effect?: GivenRounding | null },
): string[] {
  if (rule.kind === 'tax') return [];
  if (rule.kind === 'fee') {
    const { per, amount, percent } = rule;
    return [
      ...((amount === null) === (percent === null) ? ['$: a fee has either amount or percent'] : []),
      ...(percent !== null && per === 'order' ? ['$.percent: only a fee per ticket can be a percentage'] : []),
      ...(percent === null && given.roundTo != null ? ['$.roundTo rounds a percentage alone'] : []),
    ];
  }
  const { effect, unlocks } = rule;
  if (effect === null) return unlocks.length > 0 ? [] : ['$.effect: a discount without an effect has unlocks'];
  const { percent, amount, price } = effect;
  const kinds = [percent, amount, price].filter((one) => one !== undefined);
  return [
    ...(kinds.length === 1 ? [] : ['$.effect has exactly one of percent, amount and price']),
    ...(percent === undefined && given.effect?.roundTo != null ? ['$.effect.roundTo rounds a percentage alone'] : []),
  ];
}

/** Faults of meaning, each with its path. `before`: the present details, of a change. */
export function findRuleProblems(rule: RuleDetails, before?: RuleDetails): string[] {
  if (rule.kind !== 'discount') return [];
  return [
    ...(isEndBeforeStart(rule.validFrom, rule.validTo) ? ['$.validTo is before $.validFrom'] : []),
    ...(before?.kind === 'discount' && before.trigger !== rule.trigger ? ['$.trigger cannot be changed'] : []),
  ];
}

/** Whether every ticket has it that costs something. */
export function isForEverybody(rule: RuleDetails): rule is FeeDetails {
  return rule.kind === 'fee' && rule.per === 'ticket' && rule.state === 'active' && rule.channels === null;
}

/** What a place at this price costs with its fees, bought alone and without a discount. */
export type WithFees = (price: number) => number;

export function buildWithFees(fees: readonly FeeDetails[]): WithFees {
  const charged = fees.map((fee) => ({ effect: toFeeEffect(fee) }));
  return (price) => chargeTicketFees(price, charged).reduce((sum, fee) => sum + fee.amount, price);
}
