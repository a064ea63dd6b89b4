// What tariffs and performances say of returns and exchanges.

import { Fault } from '@boxoffice/envelope';
import { createNullableSchema, createPatchSchema, named } from '@boxoffice/http';
import type { ReturnTerms } from '@boxoffice/prices';
import { Type } from 'typebox';
import { findFeeProblems, type GivenTerms, mergeReturnTerms } from '../domain/return-policy.ts';
import { amount } from '../schemas.ts';
import { percent, roundTo } from './schemas.ts';

const minutes = (of: string) =>
  createNullableSchema(
    Type.Integer({
      minimum: 0,
      maximum: 5_256_000,
      description: `how many minutes before the start a place can last be ${of}; null: it cannot`,
    }),
  );

const fee = createNullableSchema(
  named(
    'ChangeFee',
    Type.Object(
      {
        amount: Type.Optional({ ...amount, description: 'of each line, in the minor unit' }),
        percent: Type.Optional(percent),
        roundTo: Type.Optional(roundTo),
      },
      { description: "either `amount` or `percent` of the line's amount, of which it is never more; null: none" },
    ),
  ),
);

const members = {
  returnMinutes: minutes('returned'),
  returnFee: fee,
  exchangeMinutes: minutes('exchanged'),
  exchangeFee: fee,
};

const about = "what buyers may do with a place after the sale; a tariff's counts before its performance's";

export const returnPolicy = createNullableSchema(
  named('ReturnPolicy', Type.Object(members, { description: `${about}; null: nothing of its own` })),
);

const Input = named(
  'ReturnPolicyInput',
  Type.Object(
    {
      returnMinutes: Type.Optional(members.returnMinutes),
      returnFee: Type.Optional(fee),
      exchangeMinutes: Type.Optional(members.exchangeMinutes),
      exchangeFee: Type.Optional(fee),
    },
    { description: `${about}; absent members are null` },
  ),
);

export const givenReturnPolicy = createNullableSchema(Input);
export const changedReturnPolicy = createNullableSchema(createPatchSchema(Input));

/** Absent members are as before. @throws Fault `validation_error`, with the path of a fee that is of no kind or of two */
export function readReturnTerms(
  given: GivenTerms | null | undefined,
  before?: ReturnTerms | null,
  at = '$',
): ReturnTerms | null {
  const terms = mergeReturnTerms(given, before);
  const problems = findFeeProblems(terms, at);
  if (problems.length > 0) throw new Fault('validation_error', problems.join('; '));
  return terms;
}
