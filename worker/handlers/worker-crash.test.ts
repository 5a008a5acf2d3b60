import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { reapLeases } from '#server/jobs/leases.ts'
import { releaseJobs } from '#server/jobs/retry.ts'
import {
  addJob,
  endBackoff,
  eventsOf,
  expireLeases,
  jobLine,
  openRoom,
  type Room,
} from '#server/jobs/testing/queue-room.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { PHASES, type Phase } from '#worker/testing/instant-phases.ts'
import { startWorker, type WorkerProcess } from '#worker/testing/start-worker.ts'

let room: Room
let folder: string
beforeAll(async () => {
  room = await openRoom()
  folder = await mkdtemp(path.join(tmpdir(), 'crash-'))
})
afterAll(async () => {
  await room?.close()
  await rm(folder, { recursive: true, force: true })
})

const LONG = { timeoutMs: 120_000 }
const worker = (more: Record<string, string> = {}): WorkerProcess =>
  startWorker({ DATABASE_URL: room.url, STORE_DIR: folder, ...more })

async function isComplete(id: string): Promise<boolean> {
  return (await jobLine(room.db, id)).status === 'COMPLETE'
}

const STATE_OF: Record<Phase, string> = {
  assemble: 'CONTEXT_ASSEMBLY',
  call: 'NOTEBOOKLM_CALL',
  write: 'NOTEBOOKLM_CALL',
}

describe('a worker killed in the middle of a job', { timeout: 300_000 }, () => {
  it.each(PHASES)(
    'while it is in %s leaves the job to its lease; the next one ends it, once',
    async (phase) => {
      const id = await addJob(room.db)
      const dying = worker({ DIE_IN: phase })
      expect(await dying.ended).toBe('SIGKILL')
      const left = await jobLine(room.db, id)
      expect(left).toMatchObject({ status: STATE_OF[phase], artifact_id: null })

      await expireLeases(room.db, [id])
      await reapLeases(room)
      await endBackoff(room.db, id)
      await releaseJobs(room.db)
      const next = worker()
      await waitUntil(() => isComplete(id), { ...LONG, what: 'the job to be done' })
      await next.stop()

      const { rows } = await room.db.query<{ object_key: string; content_sha256: string }>(
        sql`SELECT object_key, content_sha256 FROM artifact WHERE job_id = ${id}`,
      )
      expect(rows).toHaveLength(1)
      const [artifact] = rows
      const store = await openDirectoryStore(folder)
      expect(
        await getVerified(store, artifact?.object_key ?? '', artifact?.content_sha256 ?? ''),
      ).not.toBeNull()
      const done = (await eventsOf(room.db, id)).map((e) => e.transition)
      expect(done.filter((t) => t === 'lease_lost')).toHaveLength(1)
      expect(done.filter((t) => t === 'commit')).toHaveLength(1)
    },
  )

  it('and another that is asked to stop: what it has in hand is finished first', async () => {
    const slow = worker({ UP_TO_MS: '400' })
    await slow.ready
    const ids = await Promise.all(Array.from({ length: 4 }, () => addJob(room.db)))
    await waitUntil(
      async () => (await Promise.all(ids.map((id) => jobLine(room.db, id)))).some((j) => j.lease_holder),
      { ...LONG, what: 'a job in hand' },
    )
    slow.child.kill('SIGTERM')
    expect(await slow.ended).toBe(0)
    for (const id of ids) {
      const { status, lease_holder } = await jobLine(room.db, id)
      expect(['COMPLETE', 'PENDING', 'QUEUED']).toContain(status)
      expect(lease_holder).toBeNull()
    }
  })
})

describe('without any notification', { timeout: 300_000 }, () => {
  it('a job is found by the scan', async () => {
    const alone = worker()
    await alone.ready
    const id = await addJob(room.db)
    await waitUntil(() => isComplete(id), { ...LONG, what: 'the job to be found and done' })
    await alone.stop()
  })
})
