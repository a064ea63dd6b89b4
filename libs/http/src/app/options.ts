import type { IdentityVerifier } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import type { Admit } from '../access/admission.ts';
import type { AccessLogger } from '../answers/exchange.ts';
import type { Family } from '../families/family.ts';
import type { IdempotencyPort } from '../idempotency.ts';
import type { AnyOperation } from '../operation.ts';
import type { Validators } from '../validation/validators.ts';

/** What an app is made of; see `createApp`. */
export interface AppOptions {
  /** The service's name, as identity tokens and descriptions know it. */
  readonly service: string;
  readonly version: string;
  readonly operations: readonly AnyOperation[];
  readonly identify: IdentityVerifier;
  /** Lets visitors in; needed by operations for them (family B). */
  readonly admit?: Admit;
  /** Where answers are remembered: the store's `idempotency`. */
  readonly idempotency: IdempotencyPort;
  /** Signs list cursors; the same in every instance of the service. */
  readonly cursorKey: string | Buffer;
  readonly logger: AccessLogger & Pick<Logger, 'error'>;
  /** The gateway's address as the outside sees it, for the description; default: where the description itself was found. */
  readonly serverUrl?: string;
  /** Where clients get tokens, for the description; default: below `serverUrl`. */
  readonly oauthTokenUrl?: string;
  /** Holds each answer to its declared schema and fails the request otherwise; for tests. */
  readonly checkAnswers?: boolean;
  /** What is particular to the interface family; default: family A. */
  readonly family?: Family;
}

/** What the operations of one app share. */
export interface AppParts extends AppOptions {
  readonly family: Family;
  readonly validators: Validators;
}
