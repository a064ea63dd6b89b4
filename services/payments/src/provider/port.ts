// What the service needs of a payment provider. A second one is one more file beside stripe.ts.

import type { PageRequest, ReadPage } from '../domain/payment.ts';
import type { ProviderRefund, RefundRequest } from '../domain/refund.ts';

export interface OpenedPage {
  readonly reference: string;
  readonly url: string;
}

/** What a webhook hints at: something about this page, or this charge, has changed. */
export interface Hint {
  readonly kind: string;
  readonly page: string | null;
  readonly charge: string | null;
}

export type Refusal =
  /** It does not answer, or not in time: it may have acted. */
  | 'unanswered'
  /** Too many requests, or the same one is still in hand: nothing has happened. */
  | 'busy'
  /** It failed by itself, and repeats that answer for the key: it may have acted, or act later. */
  | 'broken'
  /** The account has not enough for it now; repeats that answer for the key. */
  | 'insufficient'
  /** The keys are not valid, or not for this. */
  | 'keys'
  /** No such object in this account. */
  | 'not_found'
  | 'amount_too_small'
  /** Other parameters than the key had before. */
  | 'key_reused'
  /** Not possible in the object's state, or malformed: repeating does not help. */
  | 'refused';

/** Carries no text of the provider but its code: messages of its library may quote the request. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly refusal: Refusal;
  readonly code: string | null;
  readonly call: string | null;

  constructor(refusal: Refusal, code: string | null, call: string | null = null) {
    super(`the payment provider: ${refusal}${code === null ? '' : ` (${code})`}`);
    this.refusal = refusal;
    this.code = code;
    this.call = call;
  }
}

/** Each rejects with {@link ProviderFault}. Keys are idempotency keys: the provider forgets them after a day. */
export interface Provider {
  openPage(request: PageRequest, email: string | null, key: string): Promise<OpenedPage>;
  /** Without a reference: whether the keys may read everything that the service reads. */
  readPage(reference: string | null): Promise<ReadPage | null>;
  /** No longer payable afterwards; `refused` unless it is open. */
  closePage(reference: string): Promise<void>;
  refund(request: RefundRequest, key: string): Promise<ProviderRefund>;
  listRefunds(charge: string): Promise<readonly ProviderRefund[]>;
  /** Undefined unless the signature is right and of now (epoch ms). Null: of a kind that concerns nothing here. */
  verifyWebhook(body: Buffer, signature: string, secret: string, now: number): Hint | null | undefined;
}
