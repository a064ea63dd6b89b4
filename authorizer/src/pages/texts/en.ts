import { scopeWords } from '@boxoffice/http';

/** A sentence in three parts; the middle one is a name, which is emphasised. */
export type Sentence = readonly [string, string, string];

/** The texts of the pages in English; the other languages have the same members. */
export const en = {
  signIn: {
    title: 'Sign in',
    lead: (client: string): Sentence => ['to continue to ', client, ''],
    login: 'Email',
    password: 'Password',
    submit: 'Sign in',
    wrong: 'Email or password is wrong. Check both and try again.',
  },
  tooMany: {
    title: 'Too many attempts',
    lead: (minutes: number) => (minutes === 1 ? 'Try again in a minute.' : `Try again in ${minutes} minutes.`),
    busy: 'Many people are signing in at the moment. Try again in a few seconds.',
  },
  consent: {
    title: 'Allow access?',
    lead: (client: string): Sentence => ['', client, ' would like to:'],
    nothing: (client: string): Sentence => ['', client, ' would like to know that you are signed in.'],
    signedInAs: (login: string): Sentence => ['You are signed in as ', login, '.'],
    /** Of an application on this device or in a browser whose redirect another application could receive. */
    device: 'Allow this only if you have just started the application yourself.',
    allow: 'Allow',
    deny: 'Refuse',
  },
  signOut: {
    title: 'Sign out?',
    lead: (login: string): Sentence => ['You are signed in as ', login, '.'],
    submit: 'Sign out',
    doneTitle: 'Signed out',
    done: 'You are signed out in this browser. Applications that you have open may still have access for a while.',
    open: 'Open the application',
  },
  errors: {
    title: 'This link does not work',
    client: 'The application that sent you here is not registered. Nothing has been sent to it.',
    redirect:
      'The application asked to be called back at an address that is not registered. Nothing has been sent to it.',
    advice: 'Go back to the application and try again. If this happens again, tell its makers:',
    formTitle: 'This form is no longer valid',
    form: 'It was open for too long, or was opened in another window. Start again.',
    sentTitle: 'This form has already been sent',
    sent: 'Your sign-in was accepted. Continue to the application.',
    answered: 'Your first answer was received, and it counts. Continue to the application.',
    proceed: 'Continue',
  },
  invitation: {
    title: 'Choose a password',
    lead: (institution: string): Sentence => ['for your access to ', institution, ''],
    login: 'Email',
    password: 'New password',
    repeat: 'Repeat the new password',
    hint: (least: number) => `At least ${least} characters; a few words in a row are good.`,
    submit: 'Save the password',
    short: (least: number) => `The password is too short: it needs at least ${least} characters.`,
    long: (most: number) => `The password is too long: at most ${most} characters.`,
    common: 'This password is too common and easily guessed. Choose another one.',
    different: 'The two passwords differ. Type the same one twice.',
    endedTitle: 'This invitation has ended',
    ended: 'It was used, replaced by a newer one, or is older than seven days. Ask for a new one.',
    doneTitle: 'Your password is saved',
    done: 'From now on you sign in with your email and this password.',
    open: 'Open the application',
  },
  /** What a scope of a team's own domain lets its holder do. */
  ofDomain: {
    read: (domain: string) => `see data of “${domain}”`,
    write: (domain: string) => `change data of “${domain}”`,
    sensitiveRead: (domain: string) => `see sensitive data of “${domain}”`,
    sensitiveWrite: (domain: string) => `change sensitive data of “${domain}”`,
  },
  scopes: scopeWords,
};

export type Texts = typeof en;
