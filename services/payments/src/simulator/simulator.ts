// The simulator of the provider: its interface for the SDK, its pages and its webhooks, over one stored state.

import type { RequestListener } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { createPagesFront, type PageAnswer, type PageRequest, readSingleParameter, redirect } from '@boxoffice/pages';
import { type Logger, settleWithin } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { createSimulatedFetch, type Disturb } from './api.ts';
import { isOutcome, type Outcome, renderSession } from './page.ts';
import {
  closeDispute,
  decline,
  dispute,
  endRefund,
  expire,
  fail,
  ProviderFault,
  pay,
  settle,
  wait,
} from './session.ts';
import { type Session, type SimulatedSession, simulatedSessionsCollection } from './store.ts';
import { createWebhooks } from './webhooks.ts';

/** Below it, by its id, is the page of each session. */
export const PAGES = '/svc/v3/payment-providers/simulator/pages';

/** So long the provider's page waits for a webhook to be taken before it leads the buyer back. Milliseconds. */
const WEBHOOK_MS = 10_000;

interface SimulatorOptions {
  readonly store: Store;
  readonly publicUrl: string;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly now?: () => number;
  /** Without it there is no page; default: it is. */
  readonly isOn?: () => boolean;
  /** Undefined where an institution has none: then it gets no webhooks. */
  readonly findWebhookSecret: (institution: string) => Promise<string | undefined>;
  readonly deliver: (institution: string, body: Buffer, signature: string) => Promise<unknown>;
  readonly disturb?: Disturb | undefined;
}

export interface Simulator {
  createFetch(institution: string): typeof fetch;
  front(next: RequestListener): RequestListener;
  settle(): Promise<void>;
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { store, publicUrl, logger, now = Date.now, isOn = () => true, disturb } = options;
  const webhooks = createWebhooks({ ...options, now });
  const toPageUrl = (id: string): string => `${publicUrl}${PAGES}/${id}`;
  const sessions = store.collection(simulatedSessionsCollection).acrossInstitutions;

  const answer = async (id: string, request: PageRequest): Promise<PageAnswer> => {
    const session = isOn() ? await sessions.get(id) : undefined;
    if (!session) throw new Fault('not_found', 'There is no such page.');
    const shown = { now: Math.floor(now() / 1_000), acceptLanguage: request.acceptLanguage };
    if (request.method === 'GET') return renderSession({ ...shown, session });
    const outcome = readSingleParameter(request, 'outcome');
    if (!isOutcome(outcome)) throw new Fault('bad_request', 'The form has no outcome that a page has.');
    const step = readStep(outcome, request);
    let before: Session = session;
    try {
      const change = (current: SimulatedSession) => {
        before = current;
        return { next: step(current, shown.now) };
      };
      const after = await sessions.update(id, change);
      if (!after) throw new Fault('not_found', 'There is no such page.');
      if (readSingleParameter(request, 'webhook') !== 'none')
        await settleWithin(webhooks.announce(before, after), WEBHOOK_MS, () => undefined);
      if (outcome === 'pay' || outcome === 'cancel') return redirect(after.successUrl);
      return renderSession({ ...shown, session: after, ...(outcome === 'decline' && { alert: 'declined' }) });
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      return renderSession({ ...shown, session: before, alert: 'impossible' });
    }
  };

  return {
    createFetch: (institution) =>
      createSimulatedFetch({
        store,
        institution,
        toPageUrl,
        now,
        disturb,
        onChange: (before, after) => void webhooks.announce(before, after),
      }),
    front: createPagesFront({
      service: 'payments',
      roots: [PAGES],
      find: (path) =>
        path.startsWith(`${PAGES}/`) ? (request) => answer(path.slice(PAGES.length + 1), request) : undefined,
      publicUrl,
      logger,
    }),
    settle: webhooks.settle,
  };
}

type Step = (session: Session, now: number) => Session;

const STEPS: Readonly<Record<Exclude<Outcome, 'pay' | 'dispute'>, Step>> = {
  decline,
  // The buyer goes back and may return: the page stays open.
  cancel: decline,
  close: expire,
  wait,
  settle,
  fail,
  dispute_won: (session) => closeDispute(session, 'won'),
  dispute_lost: (session) => closeDispute(session, 'lost'),
  refund_done: (session) => endRefund(session, 'succeeded'),
  refund_failed: (session) => endRefund(session, 'failed'),
};

const REFUNDS = { done: 'succeeded', pending: 'pending', failed: 'failed' } as const;

/** @throws {Fault} bad_request on a field without meaning */
const readStep = (outcome: Outcome, request: PageRequest): Step => {
  if (outcome !== 'pay' && outcome !== 'dispute') return STEPS[outcome];
  const read = <Value>(name: string, parse: (text: string) => Value | undefined): Value | undefined => {
    const text = readSingleParameter(request, name);
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined)
      throw new Fault('bad_request', `The field ${name} has no such value.`);
    return value;
  };
  const amount = read('amount', (text) => (/^[1-9]\d{0,10}$/.test(text) ? Number(text) : undefined));
  if (outcome === 'dispute') {
    const reason = read('reason', (text) => (/^[a-z_]{1,40}$/.test(text) ? text : undefined));
    const isInquiry = read('inquiry', (text) => (text === 'true' ? true : undefined));
    return (session, now) => dispute(session, now, { amount, reason, isInquiry });
  }
  const currency = read('currency', (text) => (/^[a-z]{3}$/i.test(text) ? text.toLowerCase() : undefined));
  const refundsBegin = read('refunds', (text) => (isKnownEnd(text) ? REFUNDS[text] : undefined));
  return (session, now) => pay(session, now, { amount, currency, refundsBegin });
};

const isKnownEnd = (text: string): text is keyof typeof REFUNDS => Object.hasOwn(REFUNDS, text);
