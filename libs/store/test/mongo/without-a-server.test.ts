import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { removeCredentials, toDatabaseName } from '../../src/mongo/connection.ts';
import { createSchema, decode, encode, toBody } from '../../src/mongo/record.ts';
import { buildPageQuery } from '../../src/mongo/where.ts';

// The properties of the MongoDB engine that need no server, and those that the tests' server does not have.

/** The driver's connection, as far as this test uses it. */
interface Connection {
  command(namespace: object, command: object): Promise<unknown>;
}

const requireOf = createRequire(import.meta.url);
const { Connection: DriverConnection } = requireOf('mongodb/lib/cmap/connection.js') as {
  Connection: new (socket: Socket, options: object) => Connection;
};
const { ns } = requireOf('mongodb/lib/utils.js') as { ns(name: string): object };

/**
 * Without the patch (libs/store/patches) the command never ends, nor the check of the server that it may be: all calls
 * fail from then on, until the process is started again.
 */
test('a command on a connection whose socket is destroyed and has not told so yet fails', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const hostAddress = { toString: () => `127.0.0.1:${port}` };
  const connection = new DriverConnection(socket, { id: 1, generation: 0, hostAddress, monitorCommands: false });
  socket.destroy();
  await expect(connection.command(ns('admin.$cmd'), { ping: 1 })).rejects.toThrow(/closed/);
  server.close();
});

const keysOf = (fields: readonly string[], more: object = {}) =>
  createSchema({ name: 'things', indexes: [{ name: 'one', fields, ...more }] }).indexes.map((one) =>
    Object.keys(one.key).join(' '),
  );

describe('the MongoDB engine', () => {
  test('reads any JSON back unchanged, and no member name has a meaning to MongoDB', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const body = toBody(value);
        const { body: stored, escaped } = encode(body);
        expect(decode(stored, escaped)).toEqual(body);
        const names = (one: unknown): string[] =>
          one === null || typeof one !== 'object'
            ? []
            : Object.entries(one).flatMap(([name, inner]) => [...(Array.isArray(one) ? [] : [name]), ...names(inner)]);
        for (const name of names(stored)) expect(name).not.toMatch(/^\$|[.\0]/);
      }),
    );
  });

  test('reads a page after a cursor as merged ranges of the index of its order', () => {
    const query = { where: { show: 's' }, orderBy: 'rank', after: { value: 7, id: 'x' }, limit: 20 };
    const scope = [{ institution: 'inst' }, { 'body.show': 's' }];
    expect(buildPageQuery(query, 'inst')).toEqual({
      filter: {
        $or: [
          { $and: [...scope, { 'body.rank': 7, _id: { $gt: 'x' } }] },
          { $and: [...scope, { 'body.rank': { $gt: 7 } }] },
        ],
      },
      sort: { 'body.rank': 1, _id: 1 },
    });
    expect(keysOf(['show', 'rank'])).toContain('institution body.show body.rank _id');
  });

  test('begins every declared index with the institution, unless it is across institutions', () => {
    expect(keysOf(['name'])).toContain('institution body.name _id');
    expect(keysOf(['name'], { acrossInstitutions: true })).toContain('body.name _id');
    expect(keysOf([`name`], { unique: true }).filter((one) => one.includes('body.'))).toEqual([
      'institution body.name _id',
    ]);
  });

  test('names databases by the prefix in the URL and the service', () => {
    expect(toDatabaseName('mongodb://a:b@one:1,two:2/festival?replicaSet=x', 'contacts')).toBe('festival_contacts');
    expect(toDatabaseName('mongodb+srv://host', 'contacts')).toBe('boxoffice_contacts');
    expect(toDatabaseName('mongodb://host:1/?w=1', 'contacts')).toBe('boxoffice_contacts');
    expect(() => toDatabaseName('mongodb://host', 'a/b')).toThrow('is not a store name');
    expect(removeCredentials('mongodb://a:b@one:1/x')).toBe('mongodb://one:1/x');
  });
});
