import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import type { Product } from '../fixtures/product.ts'

/** BLOOM Runtime of a product as a client of it and its operator see it. */
export type TaskAsked = {
  prompt: string
  context_id: string
  desired_format?: 'text' | 'json'
  max_attempts?: number
  policy: { timeout_sec: number; required_labels?: string[]; retry?: { base_delay_sec: number } }
}
export type TaskRow = {
  task_id: string
  status: string
  attempts: number
  worker: string | null
  error_code: string | null
  last_error: string | null
  artifact_id: string | null
  artifacts: number
  output: string | null
}
export type TaskLease = {
  lease_id: string
  worker: string
  status: string
  outcome: string | null
  /** Epoch milliseconds of the database. */
  started_at: number
  expires_at: number
  ended_at: number | null
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

export class TaskRuntime {
  readonly #url: string
  readonly #key: string
  readonly #ledger: pg.Pool

  constructor({ url, home }: Pick<Product, 'url' | 'home'>, ledger: pg.Pool) {
    this.#url = url
    this.#key = secretsOf(home).RUNTIME_API_KEY ?? ''
    this.#ledger = ledger
  }

  /** Creates a task and gives its id. What is not answered is asked again under the same key, so there is one task however often it is sent. */
  async create(asked: TaskAsked, again: () => Promise<unknown>): Promise<string> {
    const key = randomUUID()
    for (;;) {
      const answer = await fetch(`${this.#url}/api/runtime/llm-tasks`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-runtime-api-key': this.#key,
          'idempotency-key': key,
        },
        body: JSON.stringify({ agent_slug: 'writer', ...asked }),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null)
      const body = await answer?.json().catch(() => null)
      if (answer?.ok) return body.id
      if (answer?.status === 409 && body?.task_id) return body.task_id
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Error(`no task was made: ${answer.status} ${JSON.stringify(body)}`)
      await again()
    }
  }

  async task(taskId: string): Promise<TaskRow> {
    const { rows } = await this.#ledger.query(
      `SELECT t.task_id, t.status, t.attempts, w.name AS worker, t.error_code, t.last_error, t.artifact_id,
        (SELECT count(*)::int FROM artifact a WHERE a.task_id = t.task_id) AS artifacts,
        (SELECT a.result->>'output' FROM task_attempt a WHERE a.lease_id = t.lease_id) AS output
      FROM llm_task t LEFT JOIN worker_node w ON w.worker_id = t.worker_id WHERE t.task_id = $1`,
      [taskId],
    )
    return rows[0]
  }

  /** The oldest first. */
  async leases(taskId: string): Promise<TaskLease[]> {
    const { rows } = await this.#ledger.query(
      `SELECT l.lease_id, w.name AS worker, l.status, a.outcome,
        ${ms('l.started_at')} AS started_at, ${ms('l.expires_at')} AS expires_at, ${ms('l.ended_at')} AS ended_at
      FROM task_lease l JOIN worker_node w ON w.worker_id = l.worker_id JOIN task_attempt a ON a.lease_id = l.lease_id
      WHERE l.task_id = $1 ORDER BY l.fence`,
      [taskId],
    )
    return rows
  }

  /** How many reports under this lease were refused and recorded. */
  async refusals(taskId: string, leaseId: string): Promise<number> {
    const { rows } = await this.#ledger.query(
      `SELECT count(*)::int AS n FROM event
      WHERE name = 'lease.refused' AND resource_id = $1 AND refs->>'lease_id' = $2 AND error_code = 'FENCE_STALE'`,
      [taskId, leaseId],
    )
    return rows[0].n
  }

  /** Milliseconds until a lease is over by the clock of the database; negative once it is. */
  async leftOf(leaseId: string): Promise<number> {
    const { rows } = await this.#ledger.query(
      `SELECT ${ms('expires_at - clock_timestamp()')} AS left FROM task_lease WHERE lease_id = $1`,
      [leaseId],
    )
    return rows[0].left
  }

  /** Gives a lease the shortest time to live that the API grants to who asks for one; nodes that fetch, or are called, never ask. */
  async shorten(leaseId: string): Promise<void> {
    await this.#ledger.query(
      `UPDATE task_lease SET ttl_seconds = 30, expires_at = coalesce(last_heartbeat_at, started_at) + interval '30 seconds' WHERE lease_id = $1`,
      [leaseId],
    )
  }

  /** Whether all of these wait for work: heard lately, without a lease. Their breakers are closed, as an operator does. */
  async areReady(names: readonly string[]): Promise<boolean> {
    const { rows } = await this.#ledger.query(
      `SELECT worker_id FROM worker_node WHERE name = ANY($1) AND removed_at IS NULL AND offline_at IS NULL AND active_leases = 0
        AND last_heartbeat_at > clock_timestamp() - interval '25 seconds'`,
      [names],
    )
    if (rows.length < names.length) return false
    await this.#ledger.query(
      `UPDATE worker_breaker SET state = 'closed', failures = 0, open_until = NULL WHERE worker_id = ANY($1) AND (state <> 'closed' OR failures > 0)`,
      [rows.map(({ worker_id }) => worker_id)],
    )
    return true
  }
}

export const secretsOf = (home: string): Record<string, string> =>
  JSON.parse(fs.readFileSync(path.join(home, 'secrets.json'), 'utf8'))
