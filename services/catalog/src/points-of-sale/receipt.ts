import { createLineSchema, createLinesSchema, createNullableSchema, named } from '@boxoffice/http';
import { type Static, Type } from 'typebox';

const HEAD = 'who sells, as the head of receipts, tickets and mails names it';

const name = createLineSchema({ maxLength: 200 });
const address = createNullableSchema(createLinesSchema({ maxLength: 500, description: 'of several lines' }));
const taxNumber = createNullableSchema(createLineSchema({ maxLength: 50, description: 'as the tax office writes it' }));

export const ReceiptHead = named('ReceiptHead', Type.Object({ name, address, taxNumber }, { description: HEAD }));

export const NewReceiptHead = named(
  'ReceiptHeadInput',
  Type.Object({ name, address: Type.Optional(address), taxNumber: Type.Optional(taxNumber) }, { description: HEAD }),
);

/** What is absent is null. */
export function toReceiptHead(given: Static<typeof NewReceiptHead> | null | undefined) {
  return given ? { name: given.name, address: given.address ?? null, taxNumber: given.taxNumber ?? null } : null;
}
