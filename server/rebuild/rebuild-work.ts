/** Jobs that have ended, from `jobs/<job_id>/`, and artifacts, from their registry and their documents ([rebuild#what-comes-back]). */
import type { Sql } from 'sql-template-tag'
import { projectLabels } from '#server/artifacts/project-labels.ts'
import type { Db } from '#server/ledger/database.ts'
import { ARTIFACTS } from '#server/outbox/project-bodies.ts'
import { REMOVED } from '#server/retention/remove-artifacts.ts'
import { inserter, type JsonRow } from './insert-rows.ts'
import { type Document, grouped, objectsBelow, parseDocument, type Read } from './read-objects.ts'
import type { Rebuild } from './rebuild-ledger.ts'

export async function rebuildJobs(to: Rebuild): Promise<Record<string, number>> {
  const jobs = inserter(to, 'job')
  const byJob = grouped(objectsBelow(to, 'jobs/', parseDocument), (key) => key.split('/')[1] ?? '')
  for await (const { objects } of byJob) {
    // It may have been asked for again: the last end counts.
    const last = objects.at(-1)
    if (last) await jobs.add({ key: last.key, row: last.value as JsonRow<'job'> })
  }
  return { job: await jobs.end() }
}

export async function rebuildArtifacts(to: Rebuild): Promise<Record<string, number>> {
  const { rows } = await to.client.query<{ job_id: string }>('SELECT job_id FROM job')
  const known = new Set(rows.map((row) => row.job_id))
  const artifacts = inserter(to, 'artifact')
  for await (const { key, value } of objectsBelow(to, ARTIFACTS, parseDocument)) {
    const row = 'bytes' in value ? (value as JsonRow<'artifact'>) : await fromDocument(to, { key, value })
    if (!row) continue
    const isWithoutJob = row.job_id && !known.has(String(row.job_id))
    if (isWithoutJob) to.fault(key, `stands without its job ${row.job_id}, which has no object`)
    // LLM Tasks do not come back; their answers do.
    await artifacts.add({ key, row: { ...row, task_id: null, ...(isWithoutJob ? { job_id: null } : {}) } })
  }
  const made = { artifact: await artifacts.end() }
  // The triggers that would have made these are set aside.
  await to.client.query(
    'INSERT INTO artifact_labels (artifact_id, tags, words) SELECT artifact_id, tags, artifact_words(title, tags) FROM artifact',
  )
  return made
}

/** Which documents retention has removed, by its events; the removal of their objects is repeated. */
export async function rebuildRemovals({ client }: Pick<Rebuild, 'client'>): Promise<Record<string, number>> {
  const { rowCount } = await client.query(
    `INSERT INTO artifact_removal (artifact_id, days, decided_at)
     SELECT e.resource_id, (e.details ->> 'days')::integer, (e.details ->> 'decided_at')::timestamptz
     FROM event e JOIN artifact a ON a.artifact_id = e.resource_id WHERE e.name = $1 AND e.outcome = 'ok' ON CONFLICT DO NOTHING`,
    [REMOVED],
  )
  return { artifact_removal: rowCount ?? 0 }
}

/** A registry entry of an earlier version says less; the document itself has the rest. */
async function fromDocument(
  to: Rebuild,
  { key, value }: Read<Document>,
): Promise<JsonRow<'artifact'> | null> {
  const stored = await to.store.get(String(value.object_key))
  if (!stored) {
    to.fault(key, `names a document that is not there: ${value.object_key}`)
    return null
  }
  const document = parseDocument(new TextDecoder().decode(stored.bytes))
  const { agent_slug, version, engine, grounding, tags, entity_refs, sources, content } = document
  return {
    ...value,
    agent_slug,
    version,
    engine,
    grounding,
    tags,
    entity_refs,
    bytes: stored.bytes.byteLength,
    title: (content as Document | undefined)?.title ?? value.type,
    source_paths: [...new Set(((sources ?? []) as Document[]).map((source) => source.ref))],
    finalized_at: value.created_at,
  }
}

/** The tags that proposals added to artifacts, from the garden's annotations; asked for when the triggers are back. */
export async function rebuildAddedTags({
  client,
  garden,
}: Pick<Rebuild, 'client' | 'garden'>): Promise<void> {
  const db = { query: (statement: Sql) => client.query(statement) } as Pick<Db, 'query'>
  await projectLabels(db, garden, await garden.head())
}
