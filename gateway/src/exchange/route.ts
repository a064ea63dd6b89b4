import type { ServiceName } from '../services.ts';

/** A public operation. */
export interface Route {
  readonly method: string;
  /** Path with `{parameters}`. */
  readonly template: string;
  /** The operationId. */
  readonly operation: string;
  readonly service: ServiceName | 'gateway';
  /** Required scopes, separated by spaces; undefined for operations without a token. */
  readonly scope: string | undefined;
  /** Whether an API key suffices, for public data. */
  readonly isPublic: boolean;
  /** Whether a repeat with the same Idempotency-Key has no second effect. */
  readonly takesKey: boolean;
  /** Milliseconds that it may take to begin its response, if that is longer than usual. */
  readonly answersWithinMs?: number | undefined;
  /** Described media types of its responses other than JSON. */
  readonly mediaTypes: ReadonlySet<string>;
  /** Service, operation and scope: the cache key of a decision. */
  readonly key: string;
}
