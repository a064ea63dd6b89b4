export { contacts } from './app.ts';
export { type ContactDocument, contactsCollection } from './store.ts';
