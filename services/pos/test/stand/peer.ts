import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnyOperation, createApp, ok, operation } from '@boxoffice/http';
import { createIdentityVerifier, createKeySet, JWKS_PATH } from '@boxoffice/identity';
import type { Authority } from '@boxoffice/service/testkit';
import { type Static, type TSchema, Type } from 'typebox';

/**
 * What may happen to a call: nobody ever answers, it fails before it acts, it acts and its answer is lost, or the process dies before or after it acts, and
 * nothing is there until it is revived.
 */
export type Mishap = 'fails' | 'lost' | 'dies first' | 'dies after' | 'hangs';

/** A stand-in of another service: its calls so far, and what will happen to the next ones of an operation (`*`: of any). */
export interface PeerStand {
  readonly url: string;
  readonly calls: { readonly operation: string; readonly query: Record<string, string>; readonly body: unknown }[];
  readonly mishaps: Map<string, Mishap>;
  /** Starts the process again that died. */
  revive(): void;
  close(): Promise<void>;
}

interface Asked {
  readonly institution: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: never;
}

/** One internal operation of a stand-in; its body is not checked, since the tests of its owner do that. */
export interface StandIn {
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly query?: readonly string[];
  act(asked: Asked): object;
}

const anything = Type.Unsafe<object>({ type: 'object' });
const OpenBody: TSchema = Type.Unsafe<object>({ type: 'object', additionalProperties: true });

/** Serves the operations as the service of that name would. */
export const openPeer = async (
  authority: Authority,
  name: string,
  standIns: readonly StandIn[],
): Promise<PeerStand> => {
  const calls: PeerStand['calls'] = [];
  const mishaps: PeerStand['mishaps'] = new Map();
  let dead = false;
  const die = (): never => {
    dead = true;
    server.closeAllConnections();
    throw new Error('planted');
  };
  const operations = standIns.map(({ id, method, path, query = [], act }): AnyOperation => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, found]) => String(found));
    return operation({
      id,
      method,
      path,
      access: 'internal',
      withoutIdempotency: true,
      summary: id,
      params: Object.fromEntries(names.map((param) => [param, Type.String({ minLength: 1, maxLength: 128 })])),
      query: Object.fromEntries(query.map((param) => [param, Type.Optional(Type.String())])),
      ...(method === 'post' ? { body: OpenBody } : {}),
      answers: { 200: anything },
      example: { answer: {} },
      handle: async ({ caller, params, query, body }) => {
        const given = query as Record<string, string>;
        calls.push({ operation: id, query: given, body });
        const mishap = mishaps.get(id) ?? mishaps.get('*');
        if (mishap === 'hangs') await new Promise(() => undefined);
        if (mishap === 'fails') throw new Error('planted');
        if (mishap === 'dies first') die();
        const asked = { institution: caller.institution, params: params as Record<string, string>, query: given };
        const answer = act({ ...asked, body: body as never });
        if (mishap === 'lost') throw new Error('planted');
        if (mishap === 'dies after') die();
        return ok(answer as Static<typeof anything>);
      },
    });
  });
  const app = createApp({
    service: name,
    version: '0',
    operations,
    identify: createIdentityVerifier({
      keys: createKeySet({ url: `${authority.listening.url}${JWKS_PATH}` }),
      audience: name,
    }),
    idempotency: {
      begin: async () => ({ state: 'fresh' }),
      remember: async () => undefined,
      end: async () => undefined,
    },
    cursorKey: 'unused',
    logger: { info: () => undefined, error: () => undefined },
  });
  const server = createServer((request, response) => {
    if (dead) request.socket.destroy();
    else app(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    mishaps,
    revive: () => {
      dead = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
