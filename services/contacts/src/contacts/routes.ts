import {
  type AnyOperation,
  createChangesPageSchema,
  created,
  createLineSchema,
  createPatchSchema,
  listQuery,
  listReadOnlyMembers,
  mergePatch,
  named,
  ok,
  operation,
  pathId,
  type Request,
  readChangesPage,
} from '@boxoffice/http';
import type { IdempotencyRecord } from '@boxoffice/store';
import { type TObject, Type } from 'typebox';
import type { Details, Kind } from '../domain/contact.ts';
import { computeEmailKey } from '../domain/contact.ts';
import type { ContactDocument } from '../store.ts';
import type { ContactsOf } from './contacts.ts';
import type { Disclosure } from './disclosure.ts';
import * as example from './schemas.ts';
import { Individual, NewIndividual, NewStructure, Structure, toContactView } from './schemas.ts';
import { searchContacts } from './search.ts';

/** The operations of the two kinds are the same. */
interface KindOfContact {
  readonly kind: Kind;
  readonly plural: 'individuals' | 'structures';
  /** For operationIds, and with its article for summaries. */
  readonly noun: 'Individual' | 'Structure';
  readonly a: 'an individual' | 'a structure';
  readonly Details: TObject;
  readonly Contact: TObject;
  readonly details: Readonly<Record<string, unknown>>;
  readonly contact: { readonly contactNumber: string };
}

const kinds: readonly KindOfContact[] = [
  {
    kind: 'individual',
    plural: 'individuals',
    noun: 'Individual',
    a: 'an individual',
    Details: NewIndividual,
    Contact: Individual,
    details: example.individualDetails,
    contact: example.individual,
  },
  {
    kind: 'structure',
    plural: 'structures',
    noun: 'Structure',
    a: 'a structure',
    Details: NewStructure,
    Contact: Structure,
    details: example.structureDetails,
    contact: example.structure,
  },
];

const allowDuplicateEmail = Type.Optional(
  Type.Boolean({ description: 'true allows an email that another contact has' }),
);

const OWN_CONTACT =
  'A user of the role customer changes its own contact, but for `criteria` and without allowDuplicateEmail (403); ' +
  'the 409 of a duplicate email has no data for it, and after 5 of them within an hour another email is 429 ' +
  '`too_many_requests`.';

/** `disclosure` limits what the answer to a duplicate email discloses. */
export function createContactRoutes(contactsOf: ContactsOf, disclosure: Disclosure): AnyOperation[] {
  return kinds.flatMap((kind) => createKindRoutes(contactsOf, disclosure, kind));
}

type ChangeRequest = Request<{ contactNumber: string }, { allowDuplicateEmail?: boolean }, object>;

const createKindRoutes = (
  contactsOf: ContactsOf,
  { guard }: Disclosure,
  { kind, plural, noun, a, Details, Contact, ...examples }: KindOfContact,
) => {
  const collection = { path: `/svc/v3/contacts/${plural}`, aliases: [`/contacts/${plural}`] };
  const single = {
    path: `/svc/v3/contacts/${plural}/{contactNumber}`,
    aliases: [`/contacts/${plural}/{contactNumber}`],
    params: { contactNumber: pathId },
  };
  const params = { contactNumber: examples.contact.contactNumber };
  const duplicate = {
    errors: ['contact_duplicate_email'],
    errorData: { contact_duplicate_email: Type.Union([Individual, Structure, Type.Null()]) },
  } as const;
  const change = {
    ...single,
    ...duplicate,
    access: 'contacts:write',
    admits: ['customer'],
    query: { allowDuplicateEmail },
    readOnly: listReadOnlyMembers(Contact, Details, { erasedAt: [`erase${noun}`] }),
    answers: { 200: Contact },
    etag: true,
    conditional: true,
  } as const;
  const answerCreatedContact = (contact: ContactDocument) =>
    created(toContactView(contact), `/svc/v3/contacts/${plural}/${contact.contactNumber}`, toAnswerMeta(contact));
  const changeBy = async (
    { caller, params, query, ifMatch, requireUnchanged }: ChangeRequest,
    to: (current: Details) => Details,
    idempotencyRecord?: IdempotencyRecord<ContactDocument>,
  ) =>
    answerContact(
      await contactsOf(caller).change(kind, params.contactNumber, to, query.allowDuplicateEmail === true, {
        ifMatch,
        requireUnchanged: (contact) => requireUnchanged(toContactView(contact)),
        idempotencyRecord,
        disclosing: (write) => guard(caller, write),
      }),
    );

  return [
    operation({
      ...collection,
      ...duplicate,
      id: `create${noun}`,
      method: 'post',
      access: 'contacts:write',
      summary: `Creates ${a}`,
      description:
        'Refuses an email that another contact of the institution has, unless allowDuplicateEmail is true. `data` of ' +
        'the 409 is the oldest such contact; with ownOrders the oldest that exists for the client, or null.',
      query: { allowDuplicateEmail },
      body: Details,
      answers: { 201: Contact },
      etag: true,
      example: { body: examples.details, answer: examples.contact },
      handle: async ({ caller, query, body, remember }) =>
        answerCreatedContact(
          await guard(caller, () =>
            contactsOf(caller).create(
              kind,
              toDetails(body),
              query.allowDuplicateEmail === true,
              remember(answerCreatedContact),
            ),
          ),
        ),
    }),
    operation({
      ...collection,
      id: `list${noun}s`,
      method: 'get',
      access: 'contacts:read',
      admits: ['customer'],
      summary: `Lists ${plural}, erased ones included`,
      description:
        'In order of creation; with modifiedSince in order of the last change, so that paging misses nothing. A user ' +
        'of the role customer gets its own contact alone, a client with ownOrders those that it made or its orders ' +
        'name, within seconds of their change.',
      query: {
        ...listQuery,
        email: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
        q: Type.Optional(
          createLineSchema({
            maxLength: 200,
            description:
              'the beginning of the last name, of the name of a structure, or of the email; whatever case and accents',
          }),
        ),
      },
      answers: { 200: createChangesPageSchema(Contact) },
      example: { query: { limit: 20 }, answer: { items: [examples.contact], nextCursor: null, asOf: example.asOf } },
      handle: (request) => {
        const { email, q, modifiedSince } = request.query;
        const { documents } = contactsOf(request.caller);
        return readChangesPage(request, q === undefined ? documents : searchContacts(documents, q), {
          where: { kind, emailKey: email === undefined ? undefined : computeEmailKey(email) },
          orderBy: modifiedSince === undefined ? 'createdAt' : 'updatedAt',
          clock: Date.now,
          item: toContactView,
        });
      },
    }),
    operation({
      ...single,
      id: `get${noun}`,
      method: 'get',
      access: 'contacts:read',
      admits: ['customer'],
      summary: `Reads ${a}`,
      description: 'An erased one has only its number, kind and dates.',
      answers: { 200: Contact },
      etag: true,
      example: { params, answer: examples.contact },
      handle: async ({ caller, params }) => answerContact(await contactsOf(caller).get(kind, params.contactNumber)),
    }),
    operation({
      ...change,
      id: `replace${noun}`,
      method: 'put',
      summary: `Replaces the details of ${a}`,
      description: OWN_CONTACT,
      body: named(`${noun}Replacement`, Details),
      example: { params, body: examples.details, answer: examples.contact },
      handle: (request) => changeBy(request, () => toDetails(request.body)),
    }),
    operation({
      ...change,
      id: `update${noun}`,
      method: 'patch',
      summary: `Changes members of ${a}`,
      description: `A JSON merge patch (RFC 7396): null removes. ${OWN_CONTACT}`,
      body: named(`${noun}Changes`, createPatchSchema(Details)),
      example: { params, body: { phone: '+41 22 555 01 03' }, answer: examples.contact },
      handle: (request) =>
        changeBy(
          request,
          (current) => toDetails(mergePatch<object>(current, request.body)),
          request.remember(answerContact),
        ),
    }),
    operation({
      ...single,
      id: `erase${noun}`,
      method: 'delete',
      access: 'contacts:write',
      alsoNeeds: ['contacts.sensitive:write'],
      summary: `Erases the personal data of ${a} for good`,
      description:
        'The contact number stays, so that orders stay valid. A repeat changes nothing. Sensitive data are erased, ' +
        'too, so both scopes are needed: contacts:write and contacts.sensitive:write.',
      answers: { 200: Contact },
      etag: true,
      conditional: true,
      example: { params, answer: example.createErasedExample(kind) },
      handle: async ({ caller, params, ifMatch }) =>
        answerContact(await contactsOf(caller).erase(kind, params.contactNumber, { ifMatch })),
    }),
  ];
};

/** `subjects`: an erasure of the contact deletes the recorded answer. */
const toAnswerMeta = (contact: ContactDocument) => ({
  etag: String(contact.version),
  subjects: [contact.contactNumber],
});

/** The schema of the kind has validated the body. */
const toDetails = (body: object): Details => body as Details;

const answerContact = (contact: ContactDocument) => ok(toContactView(contact), toAnswerMeta(contact));
