import type { Failure } from './envelope.ts';
import { Fault } from './fault.ts';
import { registry } from './registry.ts';

/**
 * The specification's one exception to "data is null on errors": `contact_duplicate_email` carries the existing
 * contact (section 2). Only services/contacts may import this file; the architecture check enforces it.
 */
export class DuplicateEmail<Contact extends { readonly contactNumber: string }> extends Fault {
  readonly contact: Contact;

  constructor(details: string, contact: Contact) {
    super('contact_duplicate_email', details);
    this.contact = contact;
  }

  /** The envelope with the existing contact as its data. */
  envelope(): Failure<Contact> {
    return { status: registry.contact_duplicate_email.status, details: this.details, data: this.contact };
  }
}
