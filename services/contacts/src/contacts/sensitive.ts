import { type AnyOperation, createLineSchema, createLinesSchema, named, ok, operation, pathId } from '@boxoffice/http';
import { Type } from 'typebox';
import type { ContactDocument } from '../store.ts';
import type { ContactsOf } from './contacts.ts';
import { closed, individual, sensitive } from './schemas.ts';

const { Object: Members, Optional, String: Text } = Type;

const Sensitive = named(
  'SensitiveData',
  Members(
    {
      dateOfBirth: Optional(Text({ format: 'date', description: 'ISO 8601 date' })),
      identityDocument: Optional(
        Members(
          { type: createLineSchema({ maxLength: 40 }), number: createLineSchema({ maxLength: 60 }) },
          { ...closed, description: 'passport, identity card' },
        ),
      ),
      accessibilityNeeds: Optional(createLinesSchema({ maxLength: 1000 })),
      bankAccount: Optional(
        Members(
          { iban: Text({ pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', description: 'ISO 13616, without spaces' }) },
          { ...closed, description: 'for refunds' },
        ),
      ),
    },
    closed,
  ),
);

const resource = {
  path: '/svc/v3/contacts/individuals/{contactNumber}/sensitive',
  aliases: ['/contacts/individuals/{contactNumber}/sensitive'],
  params: { contactNumber: pathId },
  answers: { 200: Sensitive },
  etag: true,
} as const;

export function createSensitiveRoutes(contactsOf: ContactsOf): AnyOperation[] {
  return [
    operation({
      ...resource,
      id: 'getSensitive',
      method: 'get',
      access: 'contacts.sensitive:read',
      summary: 'Reads the sensitive data of an individual',
      description: 'An empty object if nothing is set.',
      example: { params: { contactNumber: individual.contactNumber }, answer: sensitive },
      handle: async ({ caller, params }) =>
        answerSensitive(await contactsOf(caller).get('individual', params.contactNumber)),
    }),
    operation({
      ...resource,
      id: 'replaceSensitive',
      method: 'put',
      access: 'contacts.sensitive:write',
      summary: 'Replaces the sensitive data of an individual',
      description: 'Members that the body lacks are removed.',
      body: Sensitive,
      conditional: true,
      example: {
        params: { contactNumber: individual.contactNumber },
        body: sensitive,
        answer: sensitive,
      },
      handle: async ({ caller, params, body, ifMatch }) =>
        answerSensitive(await contactsOf(caller).setSensitive(params.contactNumber, body, { ifMatch })),
    }),
  ];
}

/** The object is empty before anything is set. */
const answerSensitive = (contact: ContactDocument) =>
  ok(contact.sensitive ?? {}, { etag: String(contact.version), subjects: [contact.contactNumber] });
