// Identities for calls between services: the gateway's decisions and the services' own calls.
import { Fault } from '@boxoffice/envelope';
import {
  API_KEYS_PATH,
  CLIENT_SCOPES_PATH,
  DECISIONS_PATH,
  IDENTITIES_PATH,
  ORIGINS_PATH,
  PUBLIC_DECISIONS_PATH,
  REVOCATIONS_PATH,
  USAGE_PATH,
} from '@boxoffice/identity';
import type { ApiKeyLookup } from '../api-keys/lookup.ts';
import type { ClientDirectory } from '../clients/directory.ts';
import type { Origins } from '../origins/origins.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { RecordUsage } from '../usage/record.ts';
import { readReport } from '../usage/report.ts';
import type { Decision, DecisionRequest } from './decide.ts';
import type { PublicDecisionRequest } from './decide-public.ts';
import type { ServiceIdentityRequest } from './identify-service.ts';

export interface InternalDependencies {
  readonly service: (authorization: string | undefined) => string;
  readonly decide: (question: DecisionRequest) => Promise<Decision>;
  readonly identify: (service: string, question: ServiceIdentityRequest) => Decision;
  readonly revocations: Pick<Revocations, 'since'>;
  readonly decidePublic: (question: PublicDecisionRequest) => Promise<Decision>;
  readonly apiKeys: Pick<ApiKeyLookup, 'verify'>;
  readonly origins: Origins;
  readonly recordUsage: RecordUsage;
  readonly clients: Pick<ClientDirectory, 'current'>;
}

/** Text members of a JSON object; the callers are our own services, so an error here is a bug. */
const texts = <const Name extends string>(body: string, names: readonly Name[]): Record<Name, string> => {
  const parsed: unknown = parse(body);
  const members = Object(parsed) as Record<string, unknown>;
  const wrong = names.filter((name) => typeof members[name] !== 'string');
  if (wrong.length > 0)
    throw new Fault('bad_request', `Required members of type string: ${wrong.map((name) => `$.${name}`).join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, members[name]])) as Record<Name, string>;
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Fault('bad_request', 'The request body is not JSON.');
  }
};

/** The unparsed parts of a request to an internal operation. */
export interface InternalRequest {
  readonly authorization: string | undefined;
  readonly query: string;
  readonly body: string;
}

/** Above the size of a report with the most rows that a gateway sends at once. */
const REPORT_BYTES = 2 * 1024 * 1024;

/** One internal operation; resolves to its data. */
export interface InternalOperation {
  /** Its operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The longest body, in bytes; default: that of the front. */
  readonly limitBytes?: number;
  answer(request: InternalRequest): Promise<object>;
}

/**
 * The operations that services need before they have an identity. Each authenticates with its name and its own
 * SERVICE_SECRET; the gateway never routes to them.
 */
export const internalOperations = (dependencies: InternalDependencies): InternalOperation[] => {
  const { service, decide, identify, revocations, decidePublic, apiKeys, origins, recordUsage, clients } = dependencies;
  return [
    {
      id: 'decide',
      method: 'POST',
      path: DECISIONS_PATH,
      answer: async ({ authorization, body }) => {
        onlyGateway(service(authorization));
        return decide(texts(body, ['token', 'operation', 'scope', 'audience']));
      },
    },
    {
      id: 'identifyService',
      method: 'POST',
      path: IDENTITIES_PATH,
      answer: async ({ authorization, body }) =>
        identify(service(authorization), texts(body, ['audience', 'institution', 'operation'])),
    },
    {
      id: 'listRevocations',
      method: 'GET',
      path: REVOCATIONS_PATH,
      answer: async ({ authorization, query }) => {
        onlyGateway(service(authorization));
        return revocations.since(readSince(query));
      },
    },
    {
      id: 'verifyApiKey',
      method: 'POST',
      path: API_KEYS_PATH,
      answer: async ({ authorization, body }) => {
        onlyGateway(service(authorization));
        const { keyHash, gateway } = texts(body, ['keyHash', 'gateway']);
        return { apiKey: (await apiKeys.verify(keyHash, gateway)) ?? null };
      },
    },
    {
      id: 'decidePublic',
      method: 'POST',
      path: PUBLIC_DECISIONS_PATH,
      answer: async ({ authorization, body }) => {
        onlyGateway(service(authorization));
        return decidePublic(texts(body, ['keyHash', 'operation', 'audience']));
      },
    },
    {
      id: 'listOrigins',
      method: 'GET',
      path: ORIGINS_PATH,
      answer: async ({ authorization, query }) => {
        onlyGateway(service(authorization));
        return origins.named(new URLSearchParams(query).get('mark') ?? undefined);
      },
    },
    {
      id: 'recordUsage',
      method: 'POST',
      path: USAGE_PATH,
      limitBytes: REPORT_BYTES,
      answer: async ({ authorization, body }) => {
        onlyGateway(service(authorization));
        await recordUsage(readReport(parse(body)));
        return {};
      },
    },
    {
      id: 'getClientScopes',
      method: 'POST',
      path: CLIENT_SCOPES_PATH,
      answer: async ({ authorization, body }) => {
        if (service(authorization) !== 'events')
          throw new Fault('forbidden', 'Only the events service may call this operation.');
        const { institution, clientId } = texts(body, ['institution', 'clientId']);
        const client = await clients.current(clientId);
        return { scopes: client?.institution === institution ? client.scopes : [] };
      },
    },
  ];
};

const readSince = (query: string): Date | undefined => {
  const text = new URLSearchParams(query).get('since');
  if (text === null) return undefined;
  const since = new Date(text);
  if (Number.isNaN(since.getTime())) throw new Fault('invalid_parameter', 'query parameter since must be a timestamp.');
  return since;
};

const onlyGateway = (service: string): void => {
  if (service !== 'gateway') throw new Fault('forbidden', 'Only the gateway may call this operation.');
};
