// The operations of the provider's interface: what each reads or changes, and what it shows.

import { createRandomId } from '@boxoffice/runtime';
import type { Documents } from '@boxoffice/store';
import {
  type Expand,
  showCharge,
  showDispute,
  showList,
  showPaymentIntent,
  showRefund,
  showSession,
} from './objects.ts';
import { readCount, readEntries, readMembers, readNewSession, readText } from './requests.ts';
import { expire, getStatus, ProviderFault, refund, toSessionId } from './session.ts';
import type { Session, SimulatedSession } from './store.ts';

export interface ProviderCall {
  readonly documents: Documents<SimulatedSession>;
  /** The path with `{id}` in the place of an id. */
  readonly template: string;
  readonly id: string;
  readonly form: URLSearchParams;
  /** Seconds since 1970. */
  readonly now: number;
  /** The address of a session's page. */
  readonly toPageUrl: (sessionId: string) => string;
}

/** A change of a session, and what its answer shows of it. */
export interface Effect {
  readonly to: { readonly make: Session } | { readonly id: string; readonly change: (current: Session) => Session };
  readonly show: (session: Session) => object;
}

/** Ids of the provider's objects begin with their kind. */
const ID = /(?<=\/)(?:cs|pi|ch|re|dp)_\w+/;

const SESSION_CHARACTERS = 32;

export function splitPath(path: string): Pick<ProviderCall, 'template' | 'id'> {
  return { template: path.replace(ID, '{id}'), id: ID.exec(path)?.[0] ?? '' };
}

export function createMissingFault(id: string): ProviderFault {
  return new ProviderFault(404, `No such object: '${id}'`, { code: 'resource_missing', param: 'id' });
}

const requireFound = <Found>(found: Found | undefined, id: string): Found => {
  if (found === undefined) throw createMissingFault(id);
  return found;
};

const findSession = async ({ documents }: ProviderCall, id: string): Promise<SimulatedSession> =>
  requireFound(await documents.get(toSessionId(id)), id);

/** The payment whose refunds or disputes are listed or made. */
const readPaymentId = (form: URLSearchParams): string => form.get('charge') ?? readText(form, 'payment_intent');

/** That of the payment that is named, else all of the account. */
const findListed = async (call: ProviderCall): Promise<readonly SimulatedSession[]> => {
  const { documents, form } = call;
  if (form.has('charge') || form.has('payment_intent')) return [await findSession(call, readPaymentId(form))];
  return documents.find({ orderBy: 'createdAt', descending: true, limit: 1_000 });
};

const list = (
  { form, template }: ProviderCall,
  show: (expand: Expand) => readonly { readonly id: string }[],
): object => {
  const inside = readEntries(form, 'expand').filter((path) => path.startsWith('data.'));
  return showList(template, show(inside.map((path) => path.slice('data.'.length))), form);
};

const READS: Readonly<Record<string, (call: ProviderCall, expand: Expand) => Promise<object>>> = {
  '/v1/checkout/sessions': async (call) => {
    const { documents, form, now, toPageUrl } = call;
    const intent = form.get('payment_intent');
    const found = intent
      ? [await documents.get(toSessionId(intent))]
      : await documents.find({ orderBy: 'createdAt', descending: true, limit: 1_000 });
    const wanted = form.get('status');
    const shown = found.filter((one) => one !== undefined && (wanted === null || getStatus(one, now) === wanted));
    return list(call, (expand) =>
      shown.flatMap((one) => (one ? [showSession(one, now, toPageUrl(one.id), expand)] : [])),
    );
  },
  '/v1/checkout/sessions/{id}': async (call, expand) =>
    showSession(await findSession(call, call.id), call.now, call.toPageUrl(call.id), expand),
  '/v1/payment_intents/{id}': async (call, expand) => showPaymentIntent(await findSession(call, call.id), expand),
  '/v1/charges/{id}': async (call, expand) => showCharge(await findSession(call, call.id), expand),
  '/v1/refunds': async (call) => {
    const sessions = await findListed(call);
    return list(call, (expand) =>
      sessions.flatMap((session) => session.refunds.toReversed().map((one) => showRefund(session, one, expand))),
    );
  },
  '/v1/refunds/{id}': async (call, expand) => {
    const session = await findSession(call, call.id);
    const found = session.refunds.find(({ id }) => id === call.id);
    return showRefund(session, requireFound(found, call.id), expand);
  },
  '/v1/disputes': async (call) => {
    const sessions = await findListed(call);
    return list(call, (expand) =>
      sessions.map((session) => showDispute(session, expand)).filter((one) => one !== undefined),
    );
  },
  '/v1/disputes/{id}': async (call, expand) =>
    requireFound(showDispute(await findSession(call, call.id), expand), call.id),
};

/** Undefined: there is no such operation. @throws {ProviderFault} */
export function readObject(call: ProviderCall): Promise<object> | undefined {
  return READS[call.template]?.(call, readEntries(call.form, 'expand'));
}

/** Undefined: there is no such operation. @throws {ProviderFault} on what the request lacks, which no key remembers */
export function readEffect({ template, id, form, now, toPageUrl }: ProviderCall): Effect | undefined {
  const expand = readEntries(form, 'expand');
  const show = (session: Session) => showSession(session, now, toPageUrl(session.id), expand);
  switch (template) {
    case '/v1/checkout/sessions':
      return { to: { make: readNewSession(form, createRandomId('cs_simulated', SESSION_CHARACTERS), now) }, show };
    case '/v1/checkout/sessions/{id}/expire':
      return { to: { id, change: (session) => expire(session, now) }, show };
    case '/v1/refunds': {
      const amount = readCount(form, 'amount');
      const wanted = { amount, reason: form.get('reason'), metadata: readMembers(form, 'metadata') };
      const change = (session: Session) => refund(session, now, wanted);
      const showLast = (session: Session) => session.refunds.slice(-1).map((one) => showRefund(session, one, expand));
      return { to: { id: toSessionId(readPaymentId(form)), change }, show: (session) => showLast(session)[0] ?? {} };
    }
    default:
      return undefined;
  }
}
