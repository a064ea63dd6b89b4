import type { PointOfSale } from '../clients/catalog.ts';
import type { SessionDocument } from '../store.ts';

/** A visitor's request, as handlers see it. */
export interface Visit {
  readonly pointOfSale: PointOfSale;
  /** Undefined without one. */
  readonly session: SessionDocument | undefined;
  /** Of the texts of the answer: one of the point of sale's. */
  readonly language: string;
  /** Where the request came from, as the gateway says. */
  readonly ip: string;
  /** Whether nobody waits for the answer any more. */
  readonly hasLeft: () => boolean;
  /** The absolute URL of the request, without its query. */
  readonly address: string;
  /** Its query, without the question mark. */
  readonly search: string;
  /** The path of the version: `/tnwr/v1`. */
  readonly base: string;
}
