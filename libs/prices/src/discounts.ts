// Which line has which discount (commerce, section 4, rules 2 to 7).

import { computeShare } from './money.ts';
import {
  type Buying,
  countUsable,
  type Discount,
  type DiscountTerms,
  type Effect,
  type Grant,
  isBuyerAdmitted,
  isSameCode,
  listDistinctCodes,
  type PricedItem,
} from './terms.ts';

/** What a line has of a discount: uses that it keeps, and pools of which it needs one use each. */
export interface Choice {
  readonly lineId: string;
  readonly grant: Grant;
  readonly lowering: number;
  /** Ids of a discount, or of a code, with a limit. */
  readonly wanted: readonly string[];
}

export const codeStates = [
  'unknown',
  'not_valid_now',
  'contact_required',
  'not_matching',
  'limit_reached',
  'superseded',
  'applied',
] as const;

export interface CodeState {
  readonly code: string;
  readonly discountId: string | null;
  readonly state: (typeof codeStates)[number];
}

/** By how many minor units: from 0 up to the whole price. */
export function computeLowering(effect: Effect | null, base: number): number {
  if (effect === null) return 0;
  return effect.price === undefined ? Math.min(base, computeShare(effect, base)) : Math.max(0, base - effect.price);
}

interface Candidate {
  readonly terms: DiscountTerms;
  readonly lowering: number;
  /** The line has it already, on the terms of its hold. */
  readonly kept: Grant | null;
}

/**
 * Each line has the discount that makes it cheapest, whatever the order of the discounts. Of one with fewer uses than
 * lines those get it that it lowers most, then the earlier ones; the others get their next best. `spare`: what lines had
 * that leave the order.
 */
export function chooseDiscounts(
  items: readonly PricedItem[],
  discounts: readonly Discount[],
  buying: Buying,
  spare: readonly Grant[] = [],
): readonly Choice[] {
  const lines = items.map((item) => (item.grant && !hasItsCode(item.grant, buying) ? { ...item, grant: null } : item));
  const ranked = new Map(lines.map((line) => [line.id, rank(line, lines, discounts, buying)]));
  const had = [
    ...lines.flatMap(({ id, grant }) => (grant ? [{ id, grant }] : [])),
    ...spare.filter((grant) => hasItsCode(grant, buying)).map((grant) => ({ id: null, grant })),
  ];
  const listHad = (id: string) => had.filter(({ grant }) => grant.terms.id === id);
  const holders = match(lines, ranked, (id) => countUses(id, listHad(id).length, discounts, buying));
  return [...holders].flatMap(([id, bids]) => {
    const left = listHad(id).flatMap((one) => (bids.some(({ line }) => line.id === one.id) ? [] : one.grant));
    const discount = discounts.find((one) => one.id === id);
    return share(bids, left, discount, buying);
  });
}

/** The cheapest first. */
const rank = (
  line: PricedItem,
  lines: readonly PricedItem[],
  discounts: readonly Discount[],
  buying: Buying,
): readonly Candidate[] => {
  const { grant } = line;
  const offered = discounts.filter((discount) => isOffered(discount, buying));
  return [...(grant ? [{ terms: grant.terms, kept: grant }] : []), ...offered.map((terms) => ({ terms, kept: null }))]
    .filter(({ terms }) => mayHave(terms, line, lines, buying))
    .map((one) => ({ ...one, lowering: computeLowering(one.terms.effect, line.base) }))
    .filter(({ lowering, terms }) => lowering > 0 || (line.hidden && terms.unlocks.includes(line.tariffId)))
    .toSorted(compareCandidates)
    .filter(({ terms }, index, all) => all.findIndex((one) => one.terms.id === terms.id) === index);
};

/** Cheaper; what the line has; automatic; older. */
const compareCandidates = (one: Candidate, other: Candidate): number =>
  other.lowering - one.lowering ||
  Number(other.kept !== null) - Number(one.kept !== null) ||
  Number(other.terms.trigger === 'automatic') - Number(one.terms.trigger === 'automatic') ||
  compareTexts(one.terms.createdAt, other.terms.createdAt) ||
  compareTexts(one.terms.id, other.terms.id);

const compareTexts = (one: string, other: string): number => Number(one > other) - Number(one < other);

const hasItsCode = ({ code }: Grant, { codes }: Buying): boolean =>
  code === null || codes.some((given) => isSameCode(given, code));

/** Now, to somebody who has its code, if it needs one. */
const isOffered = (discount: Discount, { now }: Buying): boolean =>
  isValidNow(discount, now) && (discount.trigger === 'automatic' || discount.codes.length > 0);

const isValidNow = ({ state, validFrom, validTo }: Discount, now: number): boolean =>
  state === 'active' &&
  (validFrom === null || Date.parse(validFrom) <= now) &&
  (validTo === null || now < Date.parse(validTo));

/** It matches the line, its buyer, and enough lines of the order. */
const mayHave = (terms: DiscountTerms, line: PricedItem, lines: readonly PricedItem[], buying: Buying): boolean =>
  isMatching(terms, line) &&
  isBuyerAdmitted(terms.channels, buying) &&
  (terms.criterion === null || buying.criteria?.includes(terms.criterion) === true) &&
  lines.filter((other) => isMatching(terms, other)).length >= terms.minPlaces;

/** On a hidden tariff only what unlocks it. */
const isMatching = (
  { productIds, performanceIds, tariffIds, unlocks }: DiscountTerms,
  { productId, performanceId, tariffId, hidden }: PricedItem,
): boolean =>
  (productIds?.includes(productId) ?? true) &&
  (performanceIds?.includes(performanceId) ?? true) &&
  (hidden ? unlocks.includes(tariffId) : (tariffIds?.includes(tariffId) ?? true));

interface Bid extends Candidate {
  readonly line: PricedItem;
  readonly index: number;
}

/** Lines ask for their best; a discount that has too few uses sends those away that it lowers least. */
const match = (
  lines: readonly PricedItem[],
  ranked: ReadonlyMap<string, readonly Candidate[]>,
  countUses: (discountId: string) => number,
): ReadonlyMap<string, readonly Bid[]> => {
  const holders = new Map<string, Bid[]>();
  const asked = new Map<string, number>();
  const waiting = lines.map((line, index) => ({ line, index }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { line, index } = next;
    const nth = asked.get(line.id) ?? 0;
    const candidate = ranked.get(line.id)?.[nth];
    if (!candidate) continue;
    asked.set(line.id, nth + 1);
    const { id } = candidate.terms;
    const bids = [...(holders.get(id) ?? []), { ...candidate, line, index }].toSorted(compareBids);
    holders.set(id, bids.slice(0, countUses(id)));
    waiting.push(...bids.slice(countUses(id)));
  }
  return holders;
};

/** Who has it; whom it lowers more; the earlier. */
const compareBids = (one: Bid, other: Bid): number =>
  Number(hasUse(other.line, other.terms.id)) - Number(hasUse(one.line, one.terms.id)) ||
  other.lowering - one.lowering ||
  one.index - other.index;

const hasUse = ({ grant }: PricedItem, discountId: string): boolean => grant?.terms.id === discountId;

/** For this order: its `own`, and what is free, as far as one order may have them. */
const countUses = (id: string, own: number, discounts: readonly Discount[], buying: Buying): number => {
  const discount = discounts.find((one) => one.id === id);
  if (!discount || !isOffered(discount, buying)) return own;
  const { usesPerOrder, trigger, codes } = discount;
  const byCodes = codes.reduce((sum, code) => sum + countUsable(code), 0);
  const more = Math.min(countUsable(discount), trigger === 'code' ? byCodes : Number.POSITIVE_INFINITY);
  return Math.max(own, Math.min(usesPerOrder ?? Number.POSITIVE_INFINITY, own + more));
};

/** Lines keep the uses that they have; the others take what is left over, then those of the codes as given. */
const share = (
  bids: readonly Bid[],
  left: readonly Grant[],
  discount: Discount | undefined,
  { codes: given }: Buying,
): Choice[] => {
  const over = [...left];
  const codes = listDistinctCodes(given).flatMap((code) =>
    (discount?.codes ?? []).filter((one) => isSameCode(one.code, code)).map((one) => ({ ...one, code })),
  );
  const taken = new Map<string, number>();
  return bids.map(({ line, terms, lowering }) => {
    const to = (code: string | null, uses: readonly string[], wanted: readonly string[]): Choice => ({
      lineId: line.id,
      grant: { terms: toTerms(terms), code, uses },
      lowering,
      wanted,
    });
    const own = line.grant && hasUse(line, terms.id) ? line.grant : over.shift();
    if (own) return to(own.code, own.uses, []);
    const code = codes.find((one) => (taken.get(one.id) ?? 0) < countUsable(one));
    if (code) taken.set(code.id, (taken.get(code.id) ?? 0) + 1);
    const ofCode = code && code.free !== null ? [code.id] : [];
    const ofDiscount = discount && discount.free !== null ? [discount.id] : [];
    return to(code?.code ?? null, [], [...ofDiscount, ...ofCode]);
  });
};

/** Without what is of the moment. */
const toTerms = ({ id, name, trigger, effect, unlocks, criterion, ...more }: DiscountTerms): DiscountTerms => {
  const { productIds, performanceIds, tariffIds, minPlaces, channels, createdAt } = more;
  const matches = { criterion, productIds, performanceIds, tariffIds, minPlaces, channels };
  return { id, name, trigger, effect, unlocks, ...matches, createdAt };
};

/** A code that a line has is applied, whatever has ended meanwhile; else the first state that holds. */
export function findCodeStates(
  lines: readonly PricedItem[],
  discounts: readonly Discount[],
  choices: readonly Choice[],
  buying: Buying,
): CodeState[] {
  return listDistinctCodes(buying.codes).map((code) => {
    const had = choices.find(({ grant }) => grant.code !== null && isSameCode(grant.code, code));
    if (had) return { code, discountId: had.grant.terms.id, state: 'applied' };
    for (const discount of discounts) {
      const offered = discount.codes.find((one) => isSameCode(one.code, code));
      if (offered) return { code, discountId: discount.id, state: findState(discount, offered.free, lines, buying) };
    }
    return { code, discountId: null, state: 'unknown' };
  });
}

const findState = (
  discount: Discount,
  free: number | null,
  lines: readonly PricedItem[],
  buying: Buying,
): CodeState['state'] => {
  if (!isValidNow(discount, buying.now)) return 'not_valid_now';
  if (discount.criterion !== null && buying.criteria === null) return 'contact_required';
  if (!lines.some((line) => mayHave(discount, line, lines, buying))) return 'not_matching';
  return discount.free === 0 || free === 0 ? 'limit_reached' : 'superseded';
};
