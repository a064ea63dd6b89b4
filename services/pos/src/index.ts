export { pos } from './app.ts';
export { getDemoMailsFolder } from './mail/server.ts';
export { createUser, listUsers, type NewUser, removeUser, setPassword, type User } from './sessions/users.ts';
export { type SessionDocument, sessions, type UserDocument, users } from './store.ts';
