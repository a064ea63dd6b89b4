// Logins with a password: hashing, fair turns, and limits on wrong passwords.
export {
  createLogIn,
  hashPassword,
  isPassword,
  LONGEST_PASSWORD,
  type LogInAudit,
  type LogInOptions,
} from './log-in.ts';
export {
  type Attempt,
  attemptsCollection,
  createAddressLimit,
  createLoginAttempts,
  emailLoginKey,
  loginKey,
} from './login-attempts.ts';
