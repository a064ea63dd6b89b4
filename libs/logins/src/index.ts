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
  toEmailLoginKey,
  toLoginKey,
} from './login-attempts.ts';
