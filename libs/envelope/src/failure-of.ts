import { DuplicateEmail } from './contact-exception.ts';
import { type Failure, failure } from './envelope.ts';
import type { Fault } from './fault.ts';

/**
 * The envelope of any fault. Only this package turns a fault into an envelope, so that a fault declared elsewhere
 * cannot carry data: `data` is null but for the one exception (section 2).
 */
export const failureOf = (fault: Fault): Failure<object | null> =>
  fault instanceof DuplicateEmail ? fault.envelope() : failure(fault.code, fault.details);

/** Ids of the persons whose data the fault's envelope carries: erasing one deletes the stored answer. */
export const subjectsOf = (fault: Fault): readonly string[] =>
  fault instanceof DuplicateEmail ? [fault.contact.contactNumber] : [];
