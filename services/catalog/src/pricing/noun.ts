import type { AnyOperation } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import type { TObject } from 'typebox';
import type { Context } from '../context.ts';
import type { RuleDetails, RuleKind } from '../domain/pricing.ts';
import type { RuleDocument } from '../store.ts';
import type { changeRule } from './rules.ts';

export interface RuleView {
  readonly id: string;
  /** What is held and used of a discount. */
  readonly usage?: { readonly held: number; readonly used: number };
}

export type View = (document: RuleDocument) => RuleView;

/** What is a noun's own among the operations that taxes, fees and discounts share. */
export interface Noun {
  readonly kind: RuleKind;
  /** As in the ids of operations and, in lower case, in paths. */
  readonly name: string;
  readonly plural: string;
  readonly about: string;
  readonly body: TObject;
  readonly shown: TObject;
  readonly example: { readonly body: object; readonly change: object; readonly answer: { readonly id: string } };
  readonly errors: NonNullable<AnyOperation['errors']>;
  /** @throws Fault `validation_error` */
  read(body: object): RuleDetails;
  /** Reads what the view of a document needs beside it. `currency` is the institution's. */
  prepareView(context: Context, document: RuleDocument, caller: Caller, currency: string): Promise<View>;
  /** In the place of {@link changeRule} where a change has an effect elsewhere. */
  readonly change?: typeof changeRule;
}
