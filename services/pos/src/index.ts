export { pos } from './app.ts';
export { demoMailsIn } from './mail/settings.ts';
export { type SessionDocument, sessions, type UserDocument, users } from './store.ts';
export { createUser, listUsers, type NewUser, removeUser, setPassword, type User } from './users/users.ts';
