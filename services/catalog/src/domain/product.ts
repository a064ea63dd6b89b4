import { beforeStart } from './period.ts';
import type { Texts } from './texts.ts';

export const productTypes = ['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'] as const;
export type ProductType = (typeof productTypes)[number];

export const productStates = ['preparing', 'validated', 'running', 'suspended', 'closed', 'cancelled'] as const;
export type ProductState = (typeof productStates)[number];

/** A creation may say one of these. */
export const firstStates = ['preparing', 'validated', 'running'] as const;

/** What an institution says of a product; null is absent. */
export interface ProductDetails {
  readonly code: string;
  readonly type: ProductType;
  readonly name: Texts;
  readonly description: Texts | null;
  /** ISO 8601 UTC. */
  readonly startDate: string | null;
  readonly endDate: string | null;
}

export interface Product extends ProductDetails {
  readonly state: ProductState;
  /** When it was first published; unpublished products that have it are told of in `removed`. */
  readonly publishedAt: string | null;
  /** Counts the changes that can be seen from outside; part of the ETag. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The latest change of the product or of one of its performances. */
  readonly modifiedAt: string;
}

/** The arrows of the product's life: one at a time, none back but from `suspended`. */
const arrows: Readonly<Record<ProductState, readonly ProductState[]>> = {
  preparing: ['validated', 'cancelled'],
  validated: ['running', 'cancelled'],
  running: ['suspended', 'closed', 'cancelled'],
  suspended: ['running', 'closed', 'cancelled'],
  closed: ['cancelled'],
  cancelled: [],
};

/** Where a product may go from a state, besides staying where it is. */
export const nextStates = (from: ProductState): readonly ProductState[] => arrows[from];

/** Whether the change is allowed; the same state again is, and changes nothing. */
export const mayBecome = (from: ProductState, to: ProductState): boolean => from === to || arrows[from].includes(to);

/** Published in the catalog: on sale, or for the moment not. */
export const isPublished = (state: ProductState): boolean => state === 'running' || state === 'suspended';

/** Only a show is given more than once; everything else is sold for its one period of validity. */
export const hasManyPerformances = (type: ProductType): boolean => type === 'show';

/** What is meaningless about the details, each by its path; nothing if all is well. */
export const productProblems = ({ startDate, endDate }: ProductDetails): string[] =>
  beforeStart(startDate, endDate) ? ['$.endDate is before $.startDate'] : [];

/** A new product. `now` is ISO 8601 UTC. */
export const newProduct = (details: ProductDetails, state: ProductState, now: string): Product => ({
  ...details,
  state,
  publishedAt: isPublished(state) ? now : null,
  revision: 1,
  createdAt: now,
  updatedAt: now,
  modifiedAt: now,
});

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** The product with other details and state (which the caller has checked), or undefined if nothing would change. */
export const changedProduct = <P extends Product>(
  product: P,
  details: ProductDetails,
  state: ProductState,
  now: string,
): P | undefined => {
  const { code, type, name, description, startDate, endDate } = product;
  if (state === product.state && same({ code, type, name, description, startDate, endDate }, details)) return undefined;
  return {
    ...product,
    ...details,
    state,
    publishedAt: product.publishedAt ?? (isPublished(state) ? now : null),
    revision: product.revision + 1,
    updatedAt: now,
    modifiedAt: now,
  };
};
