import { completeWorkKind, type WorkKindOf } from '@boxoffice/service';
import type { Collection, Document, DueWork, Store } from '@boxoffice/store';
import { type Command, type Given, Misuse } from './command.ts';
import { type Installation, Refused, type ServiceName, serviceNames, services } from './installation.ts';

interface DeclaredWork {
  readonly service: ServiceName;
  readonly collection: Collection<Document>;
  readonly kinds: Readonly<Record<string, Pick<WorkKindOf<never>, 'dropped'>>>;
}

const declaredWork = (chosen: readonly ServiceName[]): readonly DeclaredWork[] =>
  chosen.flatMap((service) => {
    const { collections, work = {} } = services[service];
    return Object.entries(work).flatMap(([name, handlers]) => {
      const kinds = Object.fromEntries(Object.entries(handlers).map(([work, kind]) => [work, completeWorkKind(kind)]));
      return collections.filter((one) => one.name === name).map((collection) => ({ service, collection, kinds }));
    });
  });

interface FoundWork extends DeclaredWork {
  readonly store: Store;
  readonly document: Document;
  readonly name: string;
  readonly due: DueWork;
}

const PAGE = 500;

/** The due work of some documents, which has been due since an instant. */
const foundIn = (declared: DeclaredWork, store: Store, documents: readonly Document[]): FoundWork[] =>
  documents.flatMap((document) =>
    Object.entries(document.due ?? {}).map(([name, due]) => ({ ...declared, store, document, name, due })),
  );

const openWork = async (installation: Installation, chosen: readonly ServiceName[]) => {
  const absent = new Set(installation.missing());
  const present = declaredWork(chosen).filter(({ service }) => !absent.has(service));
  return Promise.all(
    present.map(async (declared) => ({ declared, store: await installation.store(declared.service) })),
  );
};

const listWork = async (installation: Installation, chosen: readonly ServiceName[], now: number) => {
  const all: FoundWork[] = [];
  for (const { declared, store } of await openWork(installation, chosen)) {
    const { acrossInstitutions } = store.collection(declared.collection);
    for (let after: { readonly at: number; readonly id: string } | undefined; ; ) {
      const page = await acrossInstitutions.listDue({ limit: PAGE, ...(after && { after }) });
      all.push(...foundIn(declared, store, page).filter(({ due }) => due.since <= now));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      after = { at: Math.min(...Object.values(last.due ?? {}).map(({ at }) => at)), id: last.id };
    }
  }
  return all;
};

const isClaimed = ({ claim, at }: DueWork, now: number): boolean => claim !== undefined && at > now;

/** The one work that the words name. @throws {Refused} if it is not due, or somebody does it now */
const namedWork = async (installation: Installation, { words: [id = ''], options }: Given, now: number) => {
  const found: FoundWork[] = [];
  for (const { declared, store } of await openWork(installation, serviceNames)) {
    const document = await store.collection(declared.collection).acrossInstitutions.get(id);
    if (document) found.push(...foundIn(declared, store, [document]));
  }
  const wanted = found.filter(({ name }) => options.work === undefined || options.work === name);
  const [one, ...more] = wanted;
  if (!one) throw new Refused(`no such work is due of ${id}; work list shows what is`);
  if (more.length > 0)
    throw new Misuse(`--work is missing: ${wanted.map(({ name }) => name).join(', ')} are due of ${id}`);
  if (isClaimed(one.due, now))
    throw new Refused(`an instance does it now, or has died: its claim ends ${timeOf(one.due.at)}`);
  return one;
};

const timeOf = (at: number): string => new Date(at).toISOString();

const chosenServices = (given: string | undefined): readonly ServiceName[] => {
  if (given === undefined) return serviceNames;
  const found = serviceNames.filter((name) => name === given);
  if (found.length === 0) throw new Misuse(`there is no service ${given}; there are ${serviceNames.join(', ')}`);
  return found;
};

export const work: readonly Command[] = [
  {
    name: 'work list',
    usage: '[SERVICE]',
    about:
      'lists work that follows a write and is due and not done, with the time of its next attempt; promised: it is ' +
      'tried until it is done, and cannot be dropped',
    async run(installation, { words: [service] }) {
      const now = Date.now();
      const found = await listWork(installation, chosenServices(service), now);
      return found.map(({ service: of, collection, name, document, due, kinds }) => ({
        service: of,
        collection: collection.name,
        work: name,
        id: document.id,
        institution: document.institution,
        since: timeOf(due.since),
        failed: due.tries,
        next: isClaimed(due, now) ? 'now' : timeOf(due.at),
        promised: kinds[name]?.dropped ? 'no' : 'yes',
      }));
    },
  },
  {
    name: 'work retry',
    usage: 'ID [--work NAME]',
    about: 'lets running services try the work of a document at once, instead of at its next time',
    async run(installation, given) {
      const now = Date.now();
      const { store, collection, document, name, due } = await namedWork(installation, given, now);
      const { acrossInstitutions } = store.collection(collection);
      const to = { at: now, since: due.since, tries: due.tries };
      const isMoved = await acrossInstitutions.moveDue(document.id, name, due, to);
      if (!isMoved) throw new Refused(`${document.id} has changed meanwhile; work list shows what is due`);
      return `${name} of ${document.id} is due now`;
    },
  },
  {
    name: 'work drop',
    usage: 'ID [--work NAME]',
    about: 'gives the work of a document up for good; promised work cannot be dropped',
    async run(installation, given) {
      const now = Date.now();
      const { store, collection, document, name, kinds } = await namedWork(installation, given, now);
      const dropped = kinds[name]?.dropped;
      if (!dropped) throw new Refused(`${name} is promised work: it is tried until it is done`);
      const written = await store.collection(collection).acrossInstitutions.update(document.id, (current) => {
        const due = current.due?.[name];
        if (!due || isClaimed(due, now)) return undefined;
        return { next: { ...current, ...dropped(current, now) }, due: { [name]: null } };
      });
      if (written?.due?.[name] || !written) throw new Refused(`${document.id} has changed meanwhile`);
      return `${name} of ${document.id} is dropped`;
    },
  },
];
