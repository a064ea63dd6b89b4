import type { RequestListener } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import type { Admit, AnyOperation, AppOptions, DescribedWebhook, Family, Tags } from '@boxoffice/http';
import type { IdentityVerifier, ServiceCredentials } from '@boxoffice/identity';
import type { Handler, Queue } from '@boxoffice/messaging';
import type { Logger, Metrics, Settings, SettingsSpec } from '@boxoffice/runtime';
import type { Collection, Document, PastFact, Store } from '@boxoffice/store';
import type { Retentions } from './retention.ts';
import type { EndedWorkRecorder } from './work/ended.ts';
import type { WorkTable } from './work/kinds.ts';

export interface Parts<Spec extends SettingsSpec = Record<never, never>> {
  readonly store: Store;
  readonly identify: IdentityVerifier;
  readonly credentials: ServiceCredentials;
  readonly logger: Logger;
  /** Takes the ends of due work that requests have done themselves. */
  readonly endedWork: EndedWorkRecorder;
  readonly settings: Settings<Spec>;
  /** The authorizer's address; for the authorizer itself its own. */
  readonly authorizerUrl: string;
  /** The public address: `iss`, Links, `servers`. */
  readonly publicUrl: string;
  readonly serviceSecret: string;
  /** The registry of the service's own metrics; undefined without a metrics endpoint. */
  readonly metrics?: Metrics;
}

export interface Reaction {
  readonly queue: Queue;
  readonly handle: Handler;
}

export interface Closable {
  close(): Promise<void>;
}

/** A fact derived from a document's current state. */
export interface CurrentFact extends PastFact {
  readonly institution: string;
  /** When the document reached that state, or later (epoch milliseconds); null if unknown. */
  readonly changedAt: number | null;
}

/** How a service's facts follow from its documents, to publish them again after a broker has lost some. */
export interface CurrentFacts {
  readonly types: readonly string[];
  /** Goes through all documents. Consumers that know a fact already ignore it. */
  read(store: Store): AsyncIterable<CurrentFact>;
  /** Makes due again what a call tells other services along with a fact; nothing for most facts. */
  repeat?(store: Store, fact: CurrentFact): Promise<void>;
}

export interface Facts {
  /** The members that every fact of a type has; the `description` says what it means. */
  readonly schemas: Readonly<Record<string, object>>;
  /** One of each, which every consumer understands. */
  readonly examples: Readonly<Record<string, object>>;
}

/** The internal operations of another service that a service calls. A generated client is one. */
export interface Calls {
  readonly service: string;
  readonly operations: object;
}

/** A service, independent of engines and process. `Spec` are its own settings, `State` the result of `prepare`. */
export interface ServiceDefinition<Spec extends SettingsSpec = Record<never, never>, State = unknown> {
  /** One word: the audience of its identity tokens, the name of its database. */
  readonly name: string;
  readonly version: string;
  readonly collections: readonly Collection<Document>[];
  /** By collection and the name under which it is due; the runner calls these until done (docs/follow-up-work.md). */
  readonly work?: WorkTable<State>;
  /** How long the documents of each collection are retained; one instance removes expired ones in the background. */
  retention?(settings: Settings<Spec>, state: State): Retentions;
  /** Settings of this service alone; the common ones are read by the program. */
  readonly settings?: Spec;
  /** Default: family A. */
  readonly family?: Family;
  /** Of a fault outside the service's operations, by path, where another standard requires members of its own. */
  onFault?(path: string | undefined, fault: Fault): { readonly members: object; readonly headers: object } | undefined;
  /** Creates, once, the `state` shared by the other members. */
  prepare?(parts: Parts<Spec>): Promise<State> | State;
  operations(parts: Parts<Spec>, state: State): readonly AnyOperation[];
  readonly webhooks?: readonly DescribedWebhook[];
  readonly tags?: Tags;
  /** Admits visitors, for operations that are for them (family B). */
  admit?(parts: Parts<Spec>, state: State): Admit;
  /** Runs before the route table and passes on requests that it does not answer itself. */
  front?(next: RequestListener, parts: Parts<Spec>, state: State): RequestListener;
  /** Checks identity tokens instead of `parts.identify`; for the authorizer, which has the keys. */
  identify?(parts: Parts<Spec>, state: State): IdentityVerifier;
  /** For the authorizer, whose callers have no identity tokens yet. */
  authenticateService?(parts: Parts<Spec>, state: State): AppOptions['authenticateService'];
  /** The queues of `reactions`, known before the service starts: until it does, their facts wait. */
  readonly queues?: readonly Queue[];
  reactions?(parts: Parts<Spec>, state: State): readonly Reaction[];
  readonly facts?: Facts;
  /** Those of the release before that this one does not publish: what the outbox still has of them is dropped. */
  readonly withdrawnFacts?: readonly string[];
  readonly calls?: readonly Calls[];
  /** The calls for which it gives identities, by caller and service; for the authorizer. */
  readonly permits?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly currentFacts?: CurrentFacts;
  /** Starts background tasks, such as sweeps; closed before the engines. */
  background?(parts: Parts<Spec>, state: State): Promise<Closable> | Closable;
}

/** What a process needs of the others and gives them, beside its operations. */
export interface Contract {
  readonly 'x-publishes': Readonly<Record<string, { readonly schema: object; readonly example: object }>>;
  /** The types of the facts that it consumes, by queue. */
  readonly 'x-consumes': Readonly<Record<string, readonly string[]>>;
  readonly 'x-calls': Readonly<Record<string, readonly string[]>>;
  /** The calls that the authorizer permits the product's own processes, by caller and service. */
  readonly 'x-permits'?: ServiceDefinition['permits'];
}

/** Every process proves itself to the authorizer, and gets the identities for its calls there. */
const OF_AUTHORIZER = 'identifyService';

export function createContract({
  name,
  facts = { schemas: {}, examples: {} },
  queues = [],
  calls = [],
  permits,
}: Pick<ServiceDefinition, 'name' | 'facts' | 'queues' | 'calls' | 'permits'>): Contract {
  const called = Object.fromEntries(calls.map(({ service, operations }) => [service, Object.keys(operations)]));
  const { authorizer = [], ...others } = called;
  return {
    'x-publishes': Object.fromEntries(
      Object.entries(facts.schemas).map(([type, schema]) => [type, { schema, example: facts.examples[type] ?? {} }]),
    ),
    'x-consumes': Object.fromEntries(queues.map((queue) => [queue.name, queue.types])),
    ...(permits && { 'x-permits': permits }),
    'x-calls': name === 'authorizer' ? called : { authorizer: [OF_AUTHORIZER, ...authorizer], ...others },
  };
}
