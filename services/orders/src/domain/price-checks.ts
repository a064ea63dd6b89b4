import { type CodeState, isSameCode, type Price } from '@boxoffice/prices';
import { type Refused, refuse } from './decisions.ts';

const INAPPLICABLE: readonly CodeState['state'][] = ['not_valid_now', 'contact_required', 'not_matching'];

export type PriceCheck = (price: Pick<Price, 'codes' | 'lines'>) => Refused | undefined;

/** What refuses an order for its codes, in this order: `unknown_code`, `code_used_up`, `code_not_applicable`. */
export function listCodeRefusals({ codes }: Pick<Price, 'codes'>): Refused[] {
  const list = (...states: readonly CodeState['state'][]): string =>
    codes.flatMap(({ code, state }) => (states.includes(state) ? [`${code} (${state})`] : [])).join(', ');
  const [unknown, usedUp, others] = [list('unknown'), list('limit_reached'), list(...INAPPLICABLE)];
  const unknownCodes = codes.filter(({ state }) => state === 'unknown').length;
  const refusal = refuse('unknown_code', `$.codes has codes that do not exist: ${unknown}.`).refused;
  return [
    ...(unknown ? [{ refused: { ...refusal, unknownCodes } }] : []),
    ...(usedUp ? [refuse('code_used_up', `$.codes has codes without a use that is free: ${usedUp}.`)] : []),
    ...(others
      ? [refuse('code_not_applicable', `$.codes has codes that are of no use to this order: ${others}.`)]
      : []),
  ];
}

/** The first refusal of its codes, else of its tariffs. */
export function checkPrice(price: Pick<Price, 'codes' | 'lines'>): Refused | undefined {
  return listCodeRefusals(price)[0] ?? checkUnlocking(price);
}

/** Refused: `tariff_locked`, if nothing unlocks the hidden tariff of a line. */
export function checkUnlocking({ lines }: Pick<Price, 'lines'>): Refused | undefined {
  return lines.some(({ locked }) => locked) ? refuse('tariff_locked') : undefined;
}

/** Of a code that a cart is given: there it may wait for the lines and the contact that it needs. */
export function createCartCodeCheck(given: string): PriceCheck {
  return ({ codes, lines }) => {
    const judged = codes.filter(({ code, state }) => isSameCode(code, given) && !isWaiting(state));
    return checkPrice({ codes: judged, lines });
  };
}

const isWaiting = (state: CodeState['state']): boolean => state === 'contact_required' || state === 'not_matching';
