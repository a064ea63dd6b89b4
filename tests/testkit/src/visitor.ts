import type { Client } from './client.ts';

/**
 * Returns a visitor of a point of sale (family B): a client that names it in every call, and sends the session token
 * that the last response with one carried.
 */
export const openVisitor = (client: Client, serviceHost: string): Client => {
  let session: Readonly<Record<string, string>> = {};
  return async (path, call = {}) => {
    const headers = { 'x-service-host': serviceHost, ...session, ...call.headers };
    const reply = await client(path, { ...call, headers });
    const token = reply.headers['x-auth-token'];
    if (typeof token === 'string') session = { 'x-auth-token': token };
    return reply;
  };
};
