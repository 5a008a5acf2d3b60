import sql from 'sql-template-tag'
import type { GardenCare } from '#contracts/system.contract.ts'
import type { PushProblem } from '#domain/garden/remote.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { parseRemoteAddress, shownAddress } from '#server/ports/remote-address.ts'
import type { Services } from '#server/services.ts'
import './check-objects.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    garden_remote: { problem: PushProblem | null }
  }
}

const REMOTE = [
  'address',
  'pushed_commit',
  'pushed_at',
  'problem',
  'message',
  'failing_since',
  'next_attempt_at',
] as const
const CHECK = ['started_at', 'finished_at', 'checked_by', 'objects', 'faults'] as const

type Remote = Row<'garden_remote', (typeof REMOTE)[number]> & { waiting: number }
type Check = Row<'garden_check', (typeof CHECK)[number]>
type Env = Pick<Services['env'], 'GARDEN_REMOTE'>

/** How the garden's repository is cared for: the remote that follows it (null without one), and the newest check of its objects. */
export async function getGardenCare({ db, env }: { db: Db; env: Env }): Promise<GardenCare> {
  const [remote, check] = await Promise.all([readRemote(db, env), readCheck(db)])
  return {
    remote: remote && {
      address: remote.address ?? '',
      pushed_commit: remote.pushed_commit,
      pushed_at: remote.pushed_at?.toISOString() ?? null,
      waiting: remote.waiting,
      problem: remote.problem,
      message: remote.message,
      failing_since: remote.failing_since?.toISOString() ?? null,
      next_attempt_at: remote.problem ? remote.next_attempt_at.toISOString() : null,
    },
    check: {
      finished_at: check.finished_at?.toISOString() ?? null,
      running: (check.started_at ?? 0) > (check.finished_at ?? 0),
      checked_by: check.checked_by,
      objects: check.objects,
      faults: check.faults,
    },
  }
}

/** SQL: what waits is counted in the same look. Of a remote that was configured just now nothing is known. */
export async function readRemote(db: Db, env: Env): Promise<Remote | null> {
  const configured = env.GARDEN_REMOTE ? parseRemoteAddress(env.GARDEN_REMOTE) : null
  if (!configured) return null
  const address = shownAddress(configured)
  const { rows } = await db.query<Remote>(sql`SELECT ${columns('garden_remote', 'r', REMOTE)},
    (SELECT count(*) FROM proposal p WHERE p.git_commit IS NOT NULL AND p.remote_pushed_at IS NULL) AS waiting FROM garden_remote r`)
  const [row] = rows
  if (row?.address === address) return row
  const unknown = { pushed_commit: null, pushed_at: null, problem: null, message: null, failing_since: null }
  return { ...unknown, address, next_attempt_at: new Date(), waiting: row?.waiting ?? 0 }
}

export async function readCheck(db: Db): Promise<Check> {
  const { rows } = await db.query<Check>(
    sql`SELECT ${columns('garden_check', 'c', CHECK)} FROM garden_check c`,
  )
  return rows[0] ?? { started_at: null, finished_at: null, checked_by: null, objects: null, faults: [] }
}
