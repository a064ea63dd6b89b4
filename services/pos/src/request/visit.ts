import type { PointOfSale } from '../clients/catalog.ts';
import type { SessionDocument } from '../store.ts';

/** A visitor's request after admission, as handlers receive it. */
export interface Visit {
  readonly pointOfSale: PointOfSale;
  /** Undefined if the request has no session. */
  readonly session: SessionDocument | undefined;
  /** The language of the answer: one that is configured for the point of sale. */
  readonly language: string;
  /** All configured ones as the visitor prefers them, for texts that lack that of the answer. */
  readonly languages: readonly string[];
  /** The client address that the gateway reports. */
  readonly ip: string;
  /** Whether the client has closed the connection. */
  readonly hasLeft: () => boolean;
  /** The absolute URL of the request, without its query. */
  readonly address: string;
  /** The query, without the question mark. */
  readonly search: string;
  /** The path prefix of the version, such as `/tnwr/v1`. */
  readonly base: string;
}
