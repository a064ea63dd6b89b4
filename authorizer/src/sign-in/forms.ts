import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { deriveSealingKey } from '@boxoffice/runtime';
import { insertUnlessTaken, type Store } from '@boxoffice/store';
import { hashSecret, makeSecret } from '../secrets.ts';
import { sentFormsCollection } from '../store.ts';

const FORM_MS = 10 * 60_000;

/** What a form carries: signed, so that it comes back as it was shown, and readable, so it holds no secret. */
export interface FormState {
  /** What the form is for; a form for something else is refused. */
  readonly purpose: 'sign-in' | 'consent' | 'sign-out';
  readonly institution: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The session that the form was shown in; absent where there is none yet. */
  readonly session?: string;
  readonly scopes?: readonly string[];
}

interface SignedState extends FormState {
  readonly id: string;
  readonly browser: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface ReturnedForm extends FormState {
  /** False if it had success before, also where both were sent at the same time, to different instances. */
  spend(): Promise<boolean>;
}

/** Forms against cross-site requests: each is bound to a browser by a cookie, and has success once. */
export type Forms = ReturnType<typeof createForms>;

/** Every instance reads those of every other. Nothing is stored until one has success. */
export function createForms(store: Store, keyEncryptionKey: string, now: () => number) {
  const sentForms = store.collection(sentFormsCollection);
  const key = createSecretKey(deriveSealingKey(keyEncryptionKey, 'forms'));
  const sign = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

  const openState = (text: string): SignedState | undefined => {
    const [payload = '', signature = ''] = text.split('.', 2);
    const [expected, given] = [sign(payload), Buffer.from(signature, 'base64url')];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as SignedState;
  };

  return {
    write: (state: FormState, browser: string): string => {
      const id = makeSecret('', 16);
      const signed: SignedState = { ...state, id, browser: hashFor('browser', browser), until: now() + FORM_MS };
      const payload = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return `${payload}.${sign(payload).toString('base64url')}`;
    },
    /** The form's state; undefined if it was changed, is too old, or was shown in another browser. */
    read: (text: string | undefined, browser: string | undefined): ReturnedForm | undefined => {
      const state = text === undefined || browser === undefined ? undefined : openState(text);
      if (!state || state.until <= now() || state.browser !== hashFor('browser', browser ?? '')) return undefined;
      const { id, until, institution } = state;
      return {
        ...state,
        spend: async () =>
          (await insertUnlessTaken(sentForms.of(institution), { id: hashFor('form', id), expiresAt: until })) !==
          undefined,
      };
    },
  };
}

const hashFor = (purpose: string, text: string): string => hashSecret(`${purpose} ${text}`);
