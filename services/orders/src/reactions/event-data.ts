import { type Message, Unreadable } from '@boxoffice/messaging';

/** The string member of an event's data. @throws {Unreadable} */
export const textIn = ({ type, data }: Message, name: string): string => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string') throw new Unreadable(`${type} needs ${name}`);
  return value;
};

/** The count in an event's data: an integer from 0. @throws {Unreadable} */
export const countIn = ({ type, data }: Message, name: string): number => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Unreadable(`${type} needs ${name}`);
  return value;
};
