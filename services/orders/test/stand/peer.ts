import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnyOperation, createApp, ok, operation } from '@boxoffice/http';
import { createIdentityVerifier, createKeySet, JWKS_PATH } from '@boxoffice/identity';
import type { Authority } from '@boxoffice/service/testkit';
import { type Static, type TSchema, Type } from 'typebox';

/**
 * What may happen to a call: it fails before it acts, it acts and its answer is lost, or nobody ever answers. For negative controls
 * it pretends to have acted.
 */
export type Mishap = 'fails' | 'lost' | 'hangs' | 'pretends';

/** A stand-in of another service: its calls so far, and what will happen to the next ones of an operation. */
export interface PeerStand {
  readonly url: string;
  readonly calls: { readonly operation: string; readonly body: unknown }[];
  readonly mishaps: Map<string, Mishap>;
  /** Is run before an operation acts. */
  readonly before: Map<string, () => Promise<void>>;
  close(): Promise<void>;
}

/** One internal operation of a stand-in; its body is not checked, since the tests of its owner do that. */
export interface StandIn {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  act(institution: string, params: Readonly<Record<string, string>>, body: never): object;
}

const anything = Type.Unsafe<object>({ type: 'object' });
const OpenBody: TSchema = Type.Unsafe<object>({ type: 'object', additionalProperties: true });

const never = (): Promise<never> => new Promise(() => undefined);

/** Serves the operations as the service of that name would. */
export const openPeer = async (
  authority: Authority,
  name: string,
  standIns: readonly StandIn[],
): Promise<PeerStand> => {
  const calls: PeerStand['calls'] = [];
  const mishaps: PeerStand['mishaps'] = new Map();
  const before: PeerStand['before'] = new Map();
  const operations = standIns.map(({ id, method, path, act }): AnyOperation => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, found]) => String(found));
    return operation({
      id,
      method,
      path,
      access: 'internal',
      withoutIdempotency: true,
      summary: id,
      params: Object.fromEntries(names.map((param) => [param, Type.String()])),
      ...(method === 'get' || method === 'delete' ? {} : { body: OpenBody }),
      answers: { 200: anything },
      example: { answer: {} },
      handle: async ({ caller, params, body }) => {
        calls.push({ operation: id, body });
        await before.get(id)?.();
        const mishap = mishaps.get(id) ?? mishaps.get('*');
        if (mishap === 'fails') throw new Error('planted');
        if (mishap === 'pretends') return ok({ outcome: 'done', places: [], missing: [], released: [] });
        const answer = act(caller.institution, params as Record<string, string>, body as never);
        if (mishap === 'lost') throw new Error('planted');
        if (mishap === 'hangs') await never();
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
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    mishaps,
    before,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
