export { pos } from './app.ts';
export { getDemoMailsFolder } from './mail/server.ts';
export { createUser, listUsers, removeUser, setPassword } from './sessions/users.ts';
export { type SessionDocument, sessions, type UserDocument, users } from './store.ts';
