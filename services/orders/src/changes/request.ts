import type { ChangeInput } from '../domain/changes/check.ts';
import type { Change, Creator } from '../domain/order/order.ts';
import type { ProviderPage } from '../domain/providers.ts';
import type { OrderDocument } from '../store.ts';
import type { ChangeMaker } from './draft.ts';

export interface ChangeRequest extends ChangeInput {
  /** The same for a repeat of the request. */
  readonly id: string;
  /** The quote's. */
  readonly difference: number;
  /** Of exactly what is due. */
  readonly payment?: ChangePayment | undefined;
  readonly onAccount?: boolean | undefined;
  readonly refund?: Change['refund'] | undefined;
  /** It is a buyer's: credit goes back to the provider that was paid. */
  readonly givesBack?: true | undefined;
  /** Absent of a buyer's: by the point of sale. */
  readonly createdBy?: Creator | undefined;
  readonly maker: ChangeMaker;
  /** Says how it is paid once it is known what is due. @throws Fault for each refusal */
  readonly pay?: (order: OrderDocument, due: number) => Promise<ChangePaying>;
}

interface ChangePayment {
  readonly method: string;
  readonly status: 'captured' | 'pending';
  readonly reference?: string | undefined;
  /** Of a provider, whose name is the method. */
  readonly page?: ProviderPage | undefined;
}

export type ChangePaying = Pick<ChangeRequest, 'payment' | 'onAccount'>;
