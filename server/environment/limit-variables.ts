/** How much at a time, how often, for how long. */
import { wholeDays, wholeNumber } from './variables.ts'

const rate = (byDefault: number) => wholeNumber(byDefault, 1, 1_000_000)

export const limitVariables = {
  /** Seconds between an approval and the earliest moment it is applied, in which it can be undone. */
  APPLY_HOLD_SECONDS: wholeNumber(10, 0, 3600),
  /** How old the newest signed head of the audit may be before what came after it is signed. After two hours health and an alert say that
   * nothing was signed; the worker looks once a minute. */
  AUDIT_HEAD_MINUTES: wholeNumber(60, 1, 115),
  /** Jobs and runs that one worker advances at a time. */
  WORKER_JOBS: wholeNumber(16, 1, 256),
  WORKER_RUNS: wholeNumber(10, 1, 100),
  /** Runs that are running in all, and runs of one agent that may wait ([runs#queue]). */
  RUNS_MAX_RUNNING: wholeNumber(10, 1, 1_000),
  RUNS_QUEUE_DEPTH: wholeNumber(5, 1, 1_000),
  /** Days after which documents of artifacts are removed ([retention]); never when not given. */
  RETENTION_ARTIFACT_DAYS: wholeDays.optional(),
  /** Requests in a sliding minute [auth#rate-limits]; sign-ins and zone codes in a quarter of an hour. */
  RATE_OWNER_CHANGES: rate(60),
  RATE_OWNER_READS: rate(600),
  RATE_OPERATOR_CHANGES: rate(60),
  RATE_OPERATOR_READS: rate(600),
  RATE_GUEST_READS: rate(30),
  RATE_ANONYMOUS_CHANGES: rate(10),
  RATE_ANONYMOUS_READS: rate(30),
  RATE_AGENT_CHANGES: rate(20),
  RATE_SIGN_INS: rate(5),
}
