import { Fault } from '@boxoffice/envelope';
import { createCheck } from '@boxoffice/http';
import { type Message, Unreadable } from '@boxoffice/messaging';
import { type Static, type TSchema, Type } from 'typebox';

export const someIds = Type.Array(Type.String());

/**
 * Makes a reader of the members that a reaction uses; others are ignored. The reader throws Unreadable if one is
 * absent or invalid.
 */
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
