import type { Texts } from './tariff.ts';

export const productTypes = ['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'] as const;
export type ProductType = (typeof productTypes)[number];

export const productStates = ['preparing', 'validated', 'running', 'suspended', 'closed', 'cancelled'] as const;
export type ProductState = (typeof productStates)[number];

export const firstStates = ['preparing', 'validated', 'running'] as const;

/** How often a ticket of what is no show admits: once per local day of the venue, for `daily`. */
export const entries = ['once', 'daily', 'unlimited'] as const;
export type Entries = (typeof entries)[number];

export interface ProductImage {
  /** Of https. */
  readonly url: string;
  /** What it shows: a text for every language, or one by language. */
  readonly alt: string | Texts;
}

export interface ProductDetails {
  readonly code: string;
  readonly type: ProductType;
  readonly name: Texts;
  readonly description: Texts | null;
  /** ISO 8601 UTC. */
  readonly startDate: string | null;
  readonly endDate: string | null;
  /** Null or absent: a show's, or once. */
  readonly entries?: Entries | null;
  /** Absent in products of earlier releases, as `details`: null. */
  readonly image?: ProductImage | null;
  /** Paragraphs, apart by empty lines. */
  readonly details?: Texts | null;
  /** The tax of its lines, unless the tariff has one. */
  readonly taxId?: string | null;
}

export interface Product extends ProductDetails {
  readonly state: ProductState;
  /** When it was first published; `removed` lists unpublished products that have it. */
  readonly publishedAt: string | null;
  /** Part of the ETag. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The latest change of the product or of one of its performances. */
  readonly modifiedAt: string;
}

/** One step at a time; only `suspended` goes back. */
const arrows: Readonly<Record<ProductState, readonly ProductState[]>> = {
  preparing: ['validated', 'cancelled'],
  validated: ['running', 'cancelled'],
  running: ['suspended', 'closed', 'cancelled'],
  suspended: ['running', 'closed', 'cancelled'],
  closed: ['cancelled'],
  cancelled: [],
};

export function listNextStates(from: ProductState): readonly ProductState[] {
  return arrows[from];
}

/** The same state is allowed and changes nothing. */
export function mayBecome(from: ProductState, to: ProductState): boolean {
  return from === to || arrows[from].includes(to);
}

/** Only a show can have several performances; other products have one, their period of validity. */
export function hasManyPerformances(type: ProductType): boolean {
  return type === 'show';
}

/** ISO 8601 UTC: to the product's end, else for the duration of its one performance. Undefined for a show. */
export function computeValidUntil(
  { startDate, durationMinutes }: { readonly startDate: string; readonly durationMinutes: number | null },
  { type, endDate }: Pick<ProductDetails, 'type' | 'endDate'>,
): string | undefined {
  if (type === 'show') return undefined;
  if (endDate !== null || durationMinutes === null) return endDate ?? undefined;
  return new Date(Date.parse(startDate) + durationMinutes * 60_000).toISOString();
}

/** Null: a show, which has no choice. */
export function getEntries({ type, entries }: Pick<ProductDetails, 'type' | 'entries'>): Entries | null {
  return type === 'show' ? null : (entries ?? 'once');
}

export function findProductProblems({ type, startDate, endDate, entries }: ProductDetails): string[] {
  return [
    ...(isEndBeforeStart(startDate, endDate) ? ['$.endDate is before $.startDate'] : []),
    ...(type === 'show' && entries ? ['$.entries is of what is no show: a show admits once'] : []),
  ];
}

/** `now` is ISO 8601 UTC. */
export function buildProduct(details: ProductDetails, state: ProductState, now: string): Product {
  return {
    ...details,
    state,
    publishedAt: isPublished(state) ? now : null,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    modifiedAt: now,
  };
}

const isPublished = (state: ProductState): boolean => state === 'running' || state === 'suspended';

export function applyProductChange<P extends Product>(
  product: P,
  details: ProductDetails,
  state: ProductState,
  now: string,
): P | undefined {
  if (state === product.state && same(listDetails(product), listDetails(details))) return undefined;
  return {
    ...product,
    ...details,
    state,
    publishedAt: product.publishedAt ?? (isPublished(state) ? now : null),
    revision: product.revision + 1,
    updatedAt: now,
    modifiedAt: now,
  };
}

const listDetails = (of: ProductDetails) => {
  const { code, type, name, description, startDate, endDate, image, details, taxId } = of;
  const { url, alt } = image ?? {};
  return [code, type, name, description, startDate, endDate, getEntries(of), url, alt, details ?? null, taxId ?? null];
};

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** False if one is open (null). Both ISO 8601. */
export function isEndBeforeStart(start: string | null, end: string | null): boolean {
  return start !== null && end !== null && Date.parse(end) < Date.parse(start);
}

/** In the format of `toISOString`. */
export function selectLater(left: string, right: string): string {
  return left < right ? right : left;
}
