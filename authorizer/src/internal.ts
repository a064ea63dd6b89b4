import { Fault, success } from '@boxoffice/envelope';
import type { Decision, Question } from './decide.ts';
import type { Endpoint, RawAnswer, RawRequest } from './endpoint.ts';
import type { ServiceQuestion } from './identify-service.ts';
import type { Revocations } from './revocations.ts';

export interface InternalDependencies {
  readonly service: (authorization: string | undefined) => string;
  readonly decide: (question: Question) => Promise<Decision>;
  readonly identify: (service: string, question: ServiceQuestion) => Decision;
  readonly revocations: Pick<Revocations, 'since'>;
}

const envelope = (data: object): RawAnswer => ({
  status: 200,
  headers: { 'Cache-Control': 'no-store' },
  body: success(data),
});

/** Members of a JSON object that must be texts; the callers are our own, so a fault here is a fault of ours. */
const texts = <const Name extends string>(body: string, names: readonly Name[]): Record<Name, string> => {
  const parsed: unknown = parse(body);
  const members = Object(parsed) as Record<string, unknown>;
  const wrong = names.filter((name) => typeof members[name] !== 'string');
  if (wrong.length > 0)
    throw new Fault('bad_request', `Texts are expected: ${wrong.map((name) => `$.${name}`).join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, members[name]])) as Record<Name, string>;
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Fault('bad_request', 'The body is no JSON.');
  }
};

/** `POST /internal/decisions`, for the gateway. */
export const decisions =
  ({ service, decide }: InternalDependencies): Endpoint =>
  async ({ authorization, body }: RawRequest) => {
    onlyGateway(service(authorization));
    return envelope(await decide(texts(body, ['token', 'operation', 'scope', 'audience'])));
  };

/** `POST /internal/identities`, for services that call one another. */
export const identities =
  ({ service, identify }: InternalDependencies): Endpoint =>
  ({ authorization, body }) =>
    envelope(identify(service(authorization), texts(body, ['audience', 'institution', 'operation'])));

/** `GET /internal/revocations?since=`, for gateways: what the broadcasts say, for when the broker is down. */
export const revocationsSince =
  ({ service, revocations }: InternalDependencies): Endpoint =>
  async ({ authorization, query }) => {
    onlyGateway(service(authorization));
    const text = new URLSearchParams(query).get('since');
    const since = text ? new Date(text) : undefined;
    if (since && Number.isNaN(since.getTime())) throw new Fault('invalid_parameter', 'since must be a timestamp.');
    return envelope(await revocations.since(since));
  };

const onlyGateway = (service: string): void => {
  if (service !== 'gateway') throw new Fault('forbidden', 'Only the gateway may ask this.');
};
