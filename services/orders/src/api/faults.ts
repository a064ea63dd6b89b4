import { type Code, Fault, type FaultHeaders } from '@boxoffice/envelope';
import { codesByState, type Details, type Reason, type Refusal, refusals, refuse } from '../domain/decisions.ts';
import { formatPaymentPath } from '../ids.ts';

const codes: Readonly<Record<Reason, readonly [Code, ...unknown[]]>> = refusals;
type CodesByState = Readonly<Partial<Record<NonNullable<Refusal['state']>, Code>>>;
const byState: Readonly<Partial<Record<Reason, CodesByState>>> = codesByState;

export function listCodes(...reasons: readonly Reason[]): readonly Code[] {
  return [...new Set(reasons.map((reason) => codes[reason][0]))];
}

export const stateCodes: readonly Code[] = Object.values(codesByState.wrong_state);
export const changeStateCodes: readonly Code[] = [...new Set(Object.values(codesByState.not_changeable))];

export class RefusedOrder extends Fault {
  readonly reason: Reason;
  /** How many codes are refused because nobody has made them. */
  readonly unknownCodes: number;

  constructor(reason: Reason, fault: ConstructorParameters<typeof Fault>, unknownCodes = 0) {
    super(...fault);
    this.reason = reason;
    this.unknownCodes = unknownCodes;
  }
}

/** `payment_recorded` with its `Location` if money is recorded. */
export function toFault({ reason, details, state, recorded, unknownCodes }: Refusal): RefusedOrder {
  if (recorded) {
    const Location = formatPaymentPath(recorded.orderId, recorded.paymentId);
    return new RefusedOrder(reason, ['payment_recorded', details, { Location }]);
  }
  const code = (state && byState[reason]?.[state]) || codes[reason][0];
  return new RefusedOrder(reason, [code, details, getHeaders(code)], unknownCodes);
}

const getHeaders = (code: Code): FaultHeaders => (code === 'conflict' ? { 'Retry-After': '1' } : {});

/** Without `details` it says what the table says. */
export function createRefusalFault<R extends Reason>(reason: R, ...details: Details<R>): RefusedOrder {
  return toFault(refuse(reason, ...details).refused);
}

/** The same for a resource of another institution and for one that never existed. */
export function createNotFoundFault(): RefusedOrder {
  return createRefusalFault('unknown_order');
}

export function isOvertaken(error: unknown): boolean {
  return error instanceof RefusedOrder && error.reason === 'overtaken';
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'service_unavailable';
}

/** Of an extension: places are gone, or nobody knows for how long they are held. */
export function isHoldUncertain(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof RefusedOrder && error.reason === 'places_gone');
}
