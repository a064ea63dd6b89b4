// The operations of the provider's interface that the service uses: what each reads or changes, and what it shows.

import { createRandomId } from '@boxoffice/runtime';
import type { Documents } from '@boxoffice/store';
import { listDisputes, showList, showRefund, showSession } from './objects.ts';
import { readCount, readEntries, readMembers, readNewSession, readText } from './requests.ts';
import { expire, ProviderFault, refund, toSessionId } from './session.ts';
import type { Session, SimulatedSession } from './store.ts';

export interface ProviderCall {
  readonly documents: Documents<SimulatedSession>;
  /** The path with `{id}` in the place of an id. */
  readonly template: string;
  readonly id: string;
  readonly form: URLSearchParams;
  /** Seconds since 1970. */
  readonly now: number;
  readonly toPageUrl: (sessionId: string) => string;
}

/** A change of a session, and what its answer shows of it. */
export interface Effect {
  readonly to: { readonly make: Session } | { readonly id: string; readonly change: (current: Session) => Session };
  readonly show: (session: Session) => object;
}

/** Ids of the provider's objects begin with their kind. */
const ID = /(?<=\/)cs_\w+/;

const SESSION_CHARACTERS = 32;

export function splitPath(path: string): Pick<ProviderCall, 'template' | 'id'> {
  return { template: path.replace(ID, '{id}'), id: ID.exec(path)?.[0] ?? '' };
}

export function createMissingFault(id: string): ProviderFault {
  return new ProviderFault(404, `No such object: '${id}'`, { code: 'resource_missing', param: 'id' });
}

const findSession = async ({ documents }: ProviderCall, id: string): Promise<SimulatedSession> => {
  const found = await documents.get(toSessionId(id));
  if (!found) throw createMissingFault(id);
  return found;
};

/** That of the payment that is named, else all of the account. */
const findListed = async (call: ProviderCall): Promise<readonly SimulatedSession[]> => {
  const { documents, form } = call;
  const intent = form.get('payment_intent');
  if (intent !== null) return [await findSession(call, intent)];
  return documents.find({ orderBy: 'createdAt', descending: true, limit: 1_000 });
};

const show = ({ form, now, toPageUrl }: Pick<ProviderCall, 'form' | 'now' | 'toPageUrl'>) => {
  const withPayment = readEntries(form, 'expand').some((path) => /^(?:data\.)?payment_intent\b/.test(path));
  return (session: Session) => showSession(session, { now, pageUrl: toPageUrl(session.id), withPayment });
};

const READS: Readonly<Record<string, (call: ProviderCall) => Promise<object>>> = {
  '/v1/checkout/sessions': async (call) => showList(call.template, (await findListed(call)).map(show(call)), call.form),
  '/v1/checkout/sessions/{id}': async (call) => show(call)(await findSession(call, call.id)),
  '/v1/refunds': async (call) => {
    const refunds = (await findListed(call)).flatMap((session) =>
      session.refunds.toReversed().map((one) => showRefund(session, one)),
    );
    return showList(call.template, refunds, call.form);
  },
  '/v1/disputes': async (call) => showList(call.template, (await findListed(call)).flatMap(listDisputes), call.form),
};

/** Undefined: there is no such operation. @throws {ProviderFault} */
export function readObject(call: ProviderCall): Promise<object> | undefined {
  return READS[call.template]?.(call);
}

/** Undefined: there is no such operation. @throws {ProviderFault} on what the request lacks, which no key remembers */
export function readEffect(call: ProviderCall): Effect | undefined {
  const { template, id, form, now } = call;
  switch (template) {
    case '/v1/checkout/sessions':
      return {
        to: { make: readNewSession(form, createRandomId('cs_simulated', SESSION_CHARACTERS), now) },
        show: show(call),
      };
    case '/v1/checkout/sessions/{id}/expire':
      return { to: { id, change: (session) => expire(session, now) }, show: show(call) };
    case '/v1/refunds': {
      const wanted = { amount: readCount(form, 'amount'), metadata: readMembers(form, 'metadata') };
      const change = (session: Session) => refund(session, wanted);
      const showLast = (session: Session) => session.refunds.slice(-1).map((one) => showRefund(session, one));
      return {
        to: { id: toSessionId(readText(form, 'payment_intent')), change },
        show: (session) => showLast(session)[0] ?? {},
      };
    }
    default:
      return undefined;
  }
}
