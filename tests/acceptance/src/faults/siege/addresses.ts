import { Agent } from 'node:https';
import { within } from '@boxoffice/runtime';
import { type Address, type Client, openClient } from '@boxoffice/testkit';

/** Longer than any deadline of the product: a later response never arrives. */
const PATIENCE_MS = 15_000;

/** Loopback addresses (127.0.NET.1 and following), each a client of its own to the gateway. */
export const addressesIn = (net: number, count: number, first = 1): string[] =>
  Array.from({ length: count }, (_, index) => `127.0.${net}.${first + index}`);

/**
 * A client whose connections, at most `connections`, come from a loopback address. It rejects when no response arrives
 * within 15 s.
 */
export const clientFrom = ({ baseUrl, ca }: Address, localAddress: string, connections: number): Client => {
  // A loopback address of IPv4 reaches only one of IPv4.
  const agent = new Agent({ keepAlive: true, ca, localAddress, family: 4, maxSockets: connections });
  const client = openClient({ baseUrl }, { agent });
  return (path, call) =>
    within(client(path, call), PATIENCE_MS, () => {
      throw new Error(`no answer within ${PATIENCE_MS} ms`);
    });
};
