import { type Failure, Fault, failure } from './envelope.ts';
import { registry } from './registry.ts';

/** Carries the existing contact (section 2). Only services/contacts may import this file: the architecture check. */
export class DuplicateEmail<Contact extends { readonly contactNumber: string }> extends Fault {
  readonly contact: Contact;

  constructor(details: string, contact: Contact) {
    super('contact_duplicate_email', details);
    this.contact = contact;
  }

  envelope(): Failure<Contact> {
    return { status: registry.contact_duplicate_email.status, details: this.details, data: this.contact };
  }
}

/** `data` is null but for the one exception (section 2): only this package turns a fault into an envelope. */
export function toFailure(fault: Fault): Failure<object | null> {
  return fault instanceof DuplicateEmail ? fault.envelope() : failure(fault.code, fault.details);
}

/** Ids of the persons whose data the fault's envelope carries: erasing one deletes the stored answer. */
export function listSubjects(fault: Fault): readonly string[] {
  return fault instanceof DuplicateEmail ? [fault.contact.contactNumber] : [];
}
