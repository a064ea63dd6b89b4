export { pos } from './app.ts';
export { createUser, listUsers, type NewUser, removeUser, setPassword, type User } from './users.ts';
