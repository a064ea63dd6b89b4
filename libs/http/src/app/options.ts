import type { IdentityVerifier } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import type { Admit } from '../access/admission.ts';
import type { AccessLogger } from '../answers/exchange.ts';
import type { DescriptionOptions } from '../description/openapi.ts';
import type { Family } from '../families/family.ts';
import type { Compile } from '../validation/validators.ts';
import type { IdempotencyPort } from './idempotency.ts';

/** The options of `createApp`. */
export interface AppOptions extends Omit<DescriptionOptions, 'readers'> {
  readonly identify: IdentityVerifier;
  /** Members of the description of the internal operations, for those who deploy: `x-…`. */
  readonly contract?: object;
  /**
   * Authenticates the service that calls this internal operation, by its Authorization header, and returns its name;
   * default: the identity token names it. For the authorizer, whose callers have no identity yet.
   */
  readonly authenticateService?: (authorization: string | undefined, operation: string) => string;
  /** Admits visitors; required by operations for them (family B). */
  readonly admit?: Admit;
  /** Where answers are stored: the store's `idempotency`. */
  readonly idempotency: IdempotencyPort;
  /** Signs list cursors; the same in every instance of the service. */
  readonly cursorKey: string | Buffer;
  readonly logger: AccessLogger & Pick<Logger, 'error'>;
  /** Checks each answer against its declared schema and fails the request otherwise; for tests. */
  readonly checkAnswers?: boolean;
}

/** State shared by the operations of one app. */
export interface AppParts extends AppOptions {
  readonly family: Family;
  readonly compile: Compile;
}
