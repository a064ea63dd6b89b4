import type { LookupAddress } from 'node:dns';
import { EventEmitter } from 'node:events';
import { createInstances } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { createAddresses, type UpstreamSocket } from '../../src/upstream/addresses.ts';

/** Addresses of a name that resolves to `found`, and connections that use the first address of a look-up. */
const open = (found: string[]) => {
  const instances = createInstances({
    resolve: (_, done) =>
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      ),
  });
  const addresses = createAddresses({ host: 'orders', instances });
  const resolved = (): string[] => {
    let usable: readonly LookupAddress[] = [];
    addresses.lookup('orders', { all: true }, (_, all) => {
      usable = all as LookupAddress[];
    });
    return usable.map(({ address }) => address);
  };
  const connect = (address = resolved()[0] ?? '') => {
    const socket = new EventEmitter() as EventEmitter & UpstreamSocket;
    addresses.track(socket);
    socket.emit('connectionAttempt', address);
    return {
      address,
      answered: () => socket.emit('free'),
      failed: () => socket.emit('connectionAttemptFailed', address),
      closed: () => socket.emit('close'),
    };
  };
  const warm = (address: string) => {
    const connection = connect(address);
    for (let count = 0; count < 8; count += 1) connection.answered();
  };
  return { found, resolved, connect, warm };
};

test('while no instance is warm, all are used', () => {
  const { resolved, connect } = open(['a', 'b']);
  for (let count = 0; count < 5; count += 1) connect('a');
  expect(resolved().toSorted()).toEqual(['a', 'b']);
});

test('beside warm instances a new one gets one connection until it has answered, then one more for each answer', () => {
  const { found, resolved, connect, warm } = open(['a', 'b']);
  warm('a');
  warm('b');
  found.push('c');
  expect(resolved()).toEqual(['c', 'a', 'b']);
  const first = connect();
  expect(first.address).toBe('c');
  expect(resolved()).toEqual(['a', 'b']);
  first.answered();
  expect([connect().address, connect().address]).toEqual(['c', 'c']);
  expect(resolved()).toEqual(['a', 'b']);
});

test('a connection that ends without an answer makes room for the next', () => {
  const { found, resolved, connect, warm } = open(['a']);
  warm('a');
  found.push('b');
  connect().closed();
  const next = connect();
  expect(next.address).toBe('b');
  expect(resolved()).toEqual(['a']);
});

test('after eight answers it is used like the others', () => {
  const { found, resolved, connect, warm } = open(['a']);
  warm('a');
  found.push('b');
  const connection = connect();
  for (let count = 0; count < 8; count += 1) connection.answered();
  for (let count = 0; count < 20; count += 1) connect('b');
  expect(resolved()).toEqual(['a', 'b']);
});

test('an instance that was not reachable is new again', () => {
  const { resolved, connect, warm } = open(['a', 'b']);
  warm('a');
  warm('b');
  const refused = connect('b');
  refused.failed();
  refused.closed();
  expect(resolved()).toEqual(['b', 'a']);
  connect('b');
  expect(resolved()).toEqual(['a']);
});
