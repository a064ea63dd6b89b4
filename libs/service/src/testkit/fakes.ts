import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type AnyOperation,
  createApp,
  dereference,
  type IdempotencyPort,
  type Method,
  ok,
  operation,
} from '@boxoffice/http';
import {
  createIdentityVerifier,
  createKeySet,
  IDENTITIES_PATH,
  type IdentityTokenOptions,
  JWKS_PATH,
  signIdentity,
} from '@boxoffice/identity';
import { type Listening, listen } from '@boxoffice/runtime';
import { Type } from 'typebox';
import type { AnswerOf, BodyOf, Operations, PathOf, QueryOf, ServiceApi } from '../client.ts';
import { findSchemas, type ReleasedDescription, readReleasedDescription } from './released.ts';
import { createShapeCheck, serveLocally } from './serve.ts';

export interface Authority {
  readonly listening: Listening;
  sign(audience: string, caller: IdentityTokenOptions['caller']): string;
}

/** `service` is the caller of services' own calls. */
export async function openAuthority(service: string): Promise<Authority> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }];
  const sign: Authority['sign'] = (audience, caller) =>
    signIdentity({ kid, privateKey }, { audience, caller, issuedAt: Math.floor(Date.now() / 1_000) });
  const listening = await listen(
    async (request, response) => {
      if (request.url === JWKS_PATH) return void response.end(JSON.stringify({ keys }));
      if (request.url !== IDENTITIES_PATH) return void response.writeHead(404).end();
      const { audience, institution, operation } = JSON.parse(await textOf(request));
      const caller = { institution, operation, client: null, service, scopes: [] };
      const data = { identity: sign(audience, caller), expiresAt: new Date(Date.now() + 60_000).toISOString() };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'success', details: null, data }));
    },
    { host: '127.0.0.1', port: 0 },
  );
  return { listening, sign };
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

export type Mishap =
  /** 500, without any effect. */
  | 'fails'
  /** 500, although it acted. */
  | 'lost'
  /** No answer, and no effect. */
  | 'hangs first'
  /** No answer, although it acted. */
  | 'hangs after'
  /** The connection ends without any effect, and every later one until `revive`. */
  | 'dies first'
  /** The same, although it acted. */
  | 'dies after'
  /** This answer, without any effect: shows that a test notices a missing effect. */
  | { readonly pretends: object };

export interface Call {
  readonly operation: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

export interface Fake {
  readonly url: string;
  readonly calls: Call[];
  /** The failures of the next calls of an operation (`*`: of any). */
  readonly mishaps: Map<string, Mishap>;
  readonly before: Map<string, () => Promise<void>>;
  revive(): void;
  /** Stops it. Rejects if a call or an answer differed from the released description. */
  close(): Promise<void>;
}

export interface FakeRequest<All extends Operations<All>, Id extends keyof All> {
  readonly institution: string;
  readonly path: PathOf<All, Id>;
  readonly query: QueryOf<All, Id>;
  readonly body: BodyOf<All, Id>;
}

/** Returns the `data` of its 200, or throws a Fault. */
export type Handlers<All extends Operations<All>> = {
  readonly [Id in keyof All]: (request: FakeRequest<All, Id>) => AnswerOf<All, Id> | Promise<AnswerOf<All, Id>>;
};

interface FakeOptions<All extends Operations<All>> {
  readonly authority: { readonly listening: Pick<Authority['listening'], 'url'> };
  readonly api: ServiceApi<All>;
  readonly handlers: Handlers<All>;
  /** Default: that of the service's last release. */
  readonly description?: ReleasedDescription;
}

const anything = Type.Unsafe<object>({ type: 'object' });

const quiet = { info: () => undefined, error: () => undefined };

const noIdempotency: IdempotencyPort = {
  find: async () => undefined,
  remember: async () => undefined,
  trim: async () => undefined,
};

/** A request or answer that the released description does not allow is refused, and makes `close` reject. */
export async function openFake<All extends Operations<All>>(options: FakeOptions<All>): Promise<Fake> {
  const { authority, api, handlers } = options;
  const description = options.description
    ? dereference(options.description)
    : readReleasedDescription(options.api.service);
  const calls: Call[] = [];
  const mishaps: Fake['mishaps'] = new Map();
  const before: Fake['before'] = new Map();
  const differences: string[] = [];
  let dead = false;
  const die = (): never => {
    dead = true;
    server.closeAllConnections();
    throw new Error('planted');
  };

  const checkShape = createShapeCheck();
  const serveOperation = (id: keyof All & string): AnyOperation => {
    const { method, path } = api.operations[id];
    const schemas = findSchemas(description, id);
    const answerSchema = Type.Unsafe(schemas.answer);
    const checkAnswer = (data: object) => {
      try {
        checkShape(answerSchema, { status: 'success', details: null, data });
      } catch (error) {
        const difference = `${id} answered differently from its description: ${(error as Error).message}`;
        differences.push(difference);
        throw new Error(difference);
      }
      return ok(data);
    };
    return operation({
      id,
      method: method.toLowerCase() as Method,
      path,
      access: 'internal',
      withoutIdempotency: true,
      summary: id,
      params: Object.fromEntries(Object.entries(schemas.path).map(([name, schema]) => [name, Type.Unsafe(schema)])),
      query: Object.fromEntries(
        Object.entries(schemas.query).map(([name, { schema, required }]) => [
          name,
          required ? Type.Unsafe(schema) : Type.Optional(Type.Unsafe(schema)),
        ]),
      ),
      ...(schemas.body && { body: Type.Unsafe(schemas.body) }),
      answers: { 200: anything },
      example: { answer: {} },
      handle: async ({ caller: { institution }, params, query, body }) => {
        calls.push({ operation: id, query: query as Call['query'], body });
        await before.get(id)?.();
        const mishap = mishaps.get(id) ?? mishaps.get('*');
        if (mishap === 'fails') throw new Error('planted');
        if (mishap === 'hangs first') await never();
        if (mishap === 'dies first') die();
        if (typeof mishap === 'object') return checkAnswer(mishap.pretends);
        const request = { institution, path: params, query, body } as FakeRequest<All, typeof id>;
        const answer = checkAnswer((await handlers[id](request)) as object);
        if (mishap === 'lost') throw new Error('planted');
        if (mishap === 'hangs after') await never();
        if (mishap === 'dies after') die();
        return answer;
      },
    });
  };

  const app = createApp({
    service: api.service,
    version: '0',
    operations: (Object.keys(api.operations) as (keyof All & string)[]).map(serveOperation),
    identify: createIdentityVerifier({
      keys: createKeySet({ url: `${authority.listening.url}${JWKS_PATH}` }),
      audience: api.service,
    }),
    idempotency: noIdempotency,
    cursorKey: 'unused',
    logger: quiet,
  });
  const { server, url, close } = await serveLocally((request, response) => {
    if (dead) return void request.socket.destroy();
    response.once('finish', () => {
      if (response.statusCode === 400)
        differences.push(`${request.method} ${request.url} does not match its description`);
    });
    app(request, response);
  });
  return {
    url,
    calls,
    mishaps,
    before,
    revive: () => {
      dead = false;
    },
    async close() {
      await close();
      if (differences.length > 0) throw new Error(`the fake of ${api.service}: ${differences.join('; ')}`);
    },
  };
}

const never = (): Promise<never> => new Promise(() => undefined);
