import type { ServiceName } from '../services.ts';

/** One operation that can be reached from outside. */
export interface Route {
  readonly method: string;
  /** With its `{parameters}`. */
  readonly template: string;
  /** The operationId. */
  readonly operation: string;
  readonly service: ServiceName | 'gateway';
  /** What the token must hold; undefined where no token is asked for. */
  readonly scope: string | undefined;
  /** Media types of its answers beside JSON, as described. */
  readonly mediaTypes: ReadonlySet<string>;
  /** Service, operation and scope: what a decision is about. */
  readonly key: string;
}
