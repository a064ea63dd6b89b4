// Logins with a password: hashing, fair turns, and limits on wrong passwords.
export { createLogIn, type LogInAudit, type LogInOptions } from './log-in.ts';
export { type Attempt, attemptsCollection, createLoginAttempts } from './login-attempts.ts';
export { emailLoginKey, loginKey } from './login-key.ts';
export { hashPassword, isPassword, LONGEST_PASSWORD } from './passwords.ts';
