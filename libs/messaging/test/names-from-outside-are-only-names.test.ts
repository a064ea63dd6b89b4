import { describe, expect, test } from '@jest/globals';
import { findReaction, Unreadable } from '../src/index.ts';

describe('a type is looked up among the reactions that a table names', () => {
  const reactions = { 'order.confirmed': () => 'confirmed', valueOf: () => 'own' };

  test('the reaction of its type is found', () => {
    expect(findReaction(reactions, { type: 'order.confirmed' })()).toBe('confirmed');
    expect(findReaction(reactions, { type: 'valueOf' })()).toBe('own');
  });

  test.each(['order.praised', 'constructor', 'toString', '__proto__', ''])('of type “%s” there is none', (type) => {
    expect(() => findReaction(reactions, { type })).toThrow(Unreadable);
  });
});
