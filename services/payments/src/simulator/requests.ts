// What the provider takes from its SDK, whose forms name nested members with brackets (`metadata[orderId]`).

import { isBelowMinimum } from '../provider/units.ts';
import { ProviderFault } from './session.ts';
import type { Session } from './store.ts';

const MINUTE = 60;
const SHORTEST = 30 * MINUTE;
const LONGEST = 24 * 60 * MINUTE;

export function readText(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value)
    throw new ProviderFault(400, `Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
  return value;
}

export function readCount(form: URLSearchParams, name: string): number | undefined {
  const value = form.get(name);
  if (value === null) return undefined;
  if (!/^[1-9]\d{0,10}$/.test(value))
    throw new ProviderFault(400, 'Invalid positive integer', { code: 'parameter_invalid_integer', param: name });
  return Number(value);
}

const readAddress = (form: URLSearchParams, name: string): string => {
  const value = readText(form, name);
  if (!/^https?:/.test(value) || !URL.canParse(value))
    throw new ProviderFault(400, 'Not a valid URL', { code: 'url_invalid', param: name });
  return value;
};

export function readMembers(form: URLSearchParams, name: string): Readonly<Record<string, string>> {
  const own = [...form].filter(([key]) => key.startsWith(`${name}[`) && key.endsWith(']'));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(name.length + 1, -1), value]));
}

export function readEntries(form: URLSearchParams, name: string): readonly string[] {
  const isEntry = /^\[\d*\]$/;
  return [...form]
    .filter(([key]) => key.startsWith(name) && isEntry.test(key.slice(name.length)))
    .map(([, one]) => one);
}

const readEnd = (form: URLSearchParams, now: number): number => {
  const end = readCount(form, 'expires_at') ?? now + LONGEST;
  const refuse = (limit: string) =>
    new ProviderFault(400, `The \`expires_at\` timestamp must be ${limit} from Checkout Session creation.`, {
      param: 'expires_at',
    });
  if (end < now + SHORTEST) throw refuse('at least 30 minutes');
  if (end > now + LONGEST) throw refuse('less than 24 hours');
  return end;
};

/** Of one line item. Neither the email of the buyer, nor any other data of his, is kept. @throws {ProviderFault} */
export function readNewSession(form: URLSearchParams, id: string, now: number): Session {
  if (readText(form, 'mode') !== 'payment')
    throw new ProviderFault(400, 'The simulator has pages for payments only.', { param: 'mode' });
  const price = 'line_items[0][price_data]';
  const currency = readText(form, `${price}[currency]`).toLowerCase();
  readText(form, `${price}[unit_amount]`);
  const amount = readCount(form, `${price}[unit_amount]`) ?? 0;
  if (!/^[a-z]{3}$/.test(currency))
    throw new ProviderFault(400, `Invalid currency: ${currency}.`, { param: `${price}[currency]` });
  if (isBelowMinimum({ amount, currency: currency.toUpperCase() }))
    throw new ProviderFault(400, `The Checkout Session's total amount is too small: ${amount} ${currency}.`, {
      code: 'amount_too_small',
    });
  return {
    id,
    createdAt: now,
    expiresAt: readEnd(form, now),
    status: 'open',
    amount,
    currency,
    description: readText(form, `${price}[product_data][name]`),
    locale: form.get('locale'),
    successUrl: readAddress(form, 'success_url').replaceAll('{CHECKOUT_SESSION_ID}', id),
    payment: null,
    refunds: [],
    dispute: null,
  };
}
