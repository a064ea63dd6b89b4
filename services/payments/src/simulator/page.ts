// The hosted page of a session: without scripts, in the language of the page's request.

import { formatMoney, selectLocale } from '@boxoffice/http';
import { chooseLanguage, type Html, html, type PageAnswer, showPage, toFormTarget } from '@boxoffice/pages';
import { toMinorUnits } from '../provider/units.ts';
import { getStatus, isPaid, isWaiting, isWithdrawing, sumArrivals } from './session.ts';
import type { Session, SimulatedRefund } from './store.ts';
import { texts } from './texts.ts';

interface Shown {
  readonly session: Session;
  readonly now: number;
  readonly acceptLanguage: string | undefined;
  /** What the form before had for an outcome. */
  readonly alert?: 'declined' | 'impossible';
}

export function renderSession({ session, now, acceptLanguage, alert }: Shown): PageAnswer {
  const language = chooseLanguage({ uiLocales: session.locale ?? '', acceptLanguage });
  const own = texts[language];
  const { amount, currency } = session.payment ?? session;
  const format = (value: number): string => {
    const code = currency.toUpperCase();
    const minorUnits = toMinorUnits({ amount: value, currency: code });
    return minorUnits === undefined ? `${value} ${code}` : formatMoney(selectLocale(language, code), minorUnits, code);
  };
  const button = (outcome: Outcome, isMain = false): Html =>
    html`<button name="outcome" value="${outcome}"${!isMain && html` class="quiet"`}>${
      outcome === 'pay' ? own.pay(format(amount)) : own[outcome]
    }</button>`;
  const [main, ...others] = listOutcomes(session, now);
  const isOpen = getStatus(session, now) === 'open';
  const form =
    main &&
    html`<form method="post">
<div class="actions">${button(main, isOpen)}</div>
<div class="actions">${others.map((one) => button(one))}</div>
<details class="account"><summary>${own.forTests}</summary>
<p class="field"><label for="webhook">${own.webhook}</label>
<select id="webhook" name="webhook"><option value="">${own.webhookSent}</option>
<option value="none">${own.webhookLost}</option></select></p>
${
  isOpen &&
  html`<p class="field"><label for="refunds">${own.refunds}</label>
<select id="refunds" name="refunds"><option value="done">${own.refundsDone}</option>
<option value="pending">${own.refundsPending}</option>
<option value="failed">${own.refundsFailed}</option></select></p>`
}</details>
</form>`;
  const returned = sumArrivals(session);
  const { dispute } = session;
  const content = html`<p class="lead">${own.order(session.description)}</p>
<p class="detail">${own.notice}</p>
${alert !== undefined && html`<p class="alert" role="alert">${own[alert]}</p>`}
${!isOpen && html`<p class="account" role="status"><strong>${own[describeState(session)]}</strong></p>`}
${returned > 0 && html`<p data-money="refunded">${own.refunded(format(returned))}</p>`}
${session.refunds.map((one) => html`<p class="detail">${own.refund[toShownRefund(one)](format(one.amount))}</p>`)}
${dispute !== null && html`<p class="detail">${own.disputed[toShownDispute(dispute)](format(dispute.amount))}</p>`}
${form}
${!isOpen && html`<p class="account"><a href="${session.successUrl}">${own.cancel}</a></p>`}`;
  return showPage(
    { language, institution: own.simulator, title: format(amount), content },
    // A browser applies the policy also to where the answer to a form leads.
    { status: alert === 'impossible' ? 409 : 200, formAction: toFormTarget(session.successUrl) },
  );
}

const OUTCOMES = [
  'pay',
  'decline',
  'cancel',
  'close',
  'wait',
  'settle',
  'fail',
  'dispute',
  'dispute_won',
  'dispute_lost',
  'refund_done',
  'refund_failed',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

export function isOutcome(text: string | undefined): text is Outcome {
  return OUTCOMES.some((one) => one === text);
}

/** Those that are possible now, the likeliest first. */
const listOutcomes = (session: Session, now: number): readonly Outcome[] => {
  if (getStatus(session, now) === 'open') return ['pay', 'decline', 'cancel', 'close', 'wait'];
  if (isWaiting(session)) return ['settle', 'fail'];
  if (!isPaid(session)) return [];
  const states = session.refunds.map(({ status }) => status);
  return [
    ...(states.includes('pending') ? (['refund_done'] as const) : []),
    ...(states.includes('pending') || states.includes('succeeded') ? (['refund_failed'] as const) : []),
    ...(session.dispute?.status === 'needs_response' ? (['dispute_won', 'dispute_lost'] as const) : []),
    ...(session.dispute === null ? (['dispute'] as const) : []),
  ];
};

const describeState = (session: Session): 'waiting' | 'paid' | 'failed' | 'expired' => {
  if (isWaiting(session)) return 'waiting';
  if (isPaid(session)) return 'paid';
  return session.payment ? 'failed' : 'expired';
};

const toShownRefund = ({ status }: SimulatedRefund): 'pending' | 'succeeded' | 'failed' => {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
};

const toShownDispute = (dispute: NonNullable<Session['dispute']>): 'open' | 'won' | 'lost' => {
  if (dispute.status === 'lost') return 'lost';
  return isWithdrawing(dispute) || dispute.status === 'warning_needs_response' ? 'open' : 'won';
};
