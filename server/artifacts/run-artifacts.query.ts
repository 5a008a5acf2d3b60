import type { RunArtifactFile } from '#contracts/run.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import type { Services } from '#server/services.ts'
import { CORRUPT, readDocument } from './open-artifact.ts'
import { removedRefusal } from './removed-artifact.ts'

const ENDING = '.json'
const NO_RUN = refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
const NO_FILE = refuse({ code: 'NOT_FOUND', message: 'The run has no such artifact.' })

/** The artifacts of a run as files, oldest first; 404 for a run that is not there. */
export async function listRunArtifacts(
  { db, reads, env }: Pick<Services, 'db' | 'reads'> & { env: Pick<Services['env'], 'PUBLIC_URL'> },
  run_id: string,
  caller: Caller,
): Promise<Result<RunArtifactFile[]>> {
  await requireAuthority(db, caller, 'artifact', 'read', { own: false })
  const [run, artifacts] = await Promise.all([
    reads.run.findUnique({ where: { run_id }, select: { run_id: true } }),
    reads.artifact.findMany({
      select: { artifact_id: true, type: true, title: true, bytes: true, created_at: true },
      where: { run_id },
      orderBy: [{ created_at: 'asc' }, { artifact_id: 'asc' }],
    }),
  ])
  if (!run) return NO_RUN
  const files = artifacts.map((artifact) => {
    const name = `${artifact.artifact_id}${ENDING}`
    const download_url = `${env.PUBLIC_URL}/api/v1/runs/${run_id}/artifacts/${name}`
    const created_at = artifact.created_at.toISOString()
    return { ...artifact, created_at, name, size_bytes: artifact.bytes, download_url }
  })
  return ok(files)
}

/** The exact bytes of an artifact of the run; 502 `ARTIFACT_CORRUPT` when they are not what was written, 410 `ARTIFACT_REMOVED` when retention removed them. */
export async function getRunArtifact(
  parts: Pick<Services, 'database' | 'db' | 'reads' | 'store'>,
  { run_id, file }: { run_id: string; file: string },
  caller: Caller,
): Promise<Result<Uint8Array>> {
  await requireAuthority(parts.database, caller, 'artifact', 'read', { own: false })
  const artifact = await parts.reads.artifact.findFirst({
    select: { artifact_id: true, agent_slug: true, object_key: true, content_sha256: true },
    where: { run_id, artifact_id: file.slice(0, -ENDING.length) },
  })
  if (!artifact) return NO_FILE
  const removed = await removedRefusal(parts.db, artifact.artifact_id)
  if (removed) return removed
  const bytes = await readDocument(parts, artifact)
  return bytes ? ok(bytes) : CORRUPT
}
