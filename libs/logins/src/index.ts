// Logins with a password: hashing, fair turns, and limits on wrong passwords.
export { createLogIns, type LogIns, type LogInsOptions, type Outcome } from './log-in.ts';
export { type Attempt, type AttemptsDocument, attemptsCollection, createLoginAttempts } from './login-attempts.ts';
export { emailLoginKey, loginKey } from './login-key.ts';
export { hashPassword, isPassword, LONGEST_PASSWORD } from './passwords.ts';
export { createTurnstile, type Surroundings, type Turnstile, type TurnstileLimits } from './turnstile.ts';
