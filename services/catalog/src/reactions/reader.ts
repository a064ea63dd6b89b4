import { Fault } from '@boxoffice/envelope';
import { createCheck } from '@boxoffice/http';
import { type Message, Unreadable } from '@boxoffice/messaging';
import { type Static, type TSchema, Type } from 'typebox';

/** A holder as orders are named. */
export const orderId = Type.String({ minLength: 1, maxLength: 128 });
export const someIds = Type.Array(Type.String());

/** Makes what reads the fields of a fact that a reaction uses; others may be there. @throws {Unreadable} if one is absent or no such thing */
export const reading = <Schema extends TSchema>(schema: Schema): ((message: Message) => Static<Schema>) => {
  const check = createCheck(schema);
  return ({ type, data }) => {
    try {
      check(data);
    } catch (error) {
      throw error instanceof Fault ? new Unreadable(`${type}: ${error.details}`) : error;
    }
    return data as Static<Schema>;
  };
};
