/** Inbox entries, from `inbox/<YYYY-MM>/` ([rebuild#what-comes-back]). */
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { inserter, type JsonRow } from './insert-rows.ts'
import { type Document, grouped, objectsBelow, parseDocument } from './read-objects.ts'
import type { Rebuild } from './rebuild-ledger.ts'

const HOUR_MS = 3_600_000

export async function rebuildInbox(to: Rebuild): Promise<Record<string, number>> {
  const entries = inserter(to, 'inbox_entry')
  const byEntry = grouped(objectsBelow(to, 'inbox/', parseDocument), (key) =>
    key.replace(/(\.outcome)?\.json$/, ''),
  )
  for await (const { name, objects } of byEntry) {
    const body = objects.find(({ key }) => !key.endsWith('.outcome.json'))
    const outcome = objects.find(({ key }) => key.endsWith('.outcome.json'))
    if (body) await entries.add({ key: body.key, row: entryOf(body.value, outcome?.value) })
    else to.fault(`${name}.outcome.json`, 'is the outcome of an entry that is not there')
  }
  return { inbox_entry: await entries.end() }
}

/** An entry from its body and its outcome, of this or of an earlier form. */
export function entryOf(body: Document, outcome: Document | undefined): JsonRow<'inbox_entry'> {
  const row = 'intent' in body ? pageForm(body) : earlierForm(body)
  if (!outcome) return { ...row, status: inboxMachine.events.receive.to }
  return { ...row, ...ending(outcome, row) }
}

function pageForm(body: Document): JsonRow<'inbox_entry'> {
  const { source, intent, metadata } = body as Record<string, Document>
  return {
    inbox_id: body.id,
    source_type: source?.type,
    source_identity: source?.identity,
    received_at: source?.timestamp,
    action: intent?.action,
    target: intent?.target,
    payload: intent?.payload,
    correlation_id: metadata?.correlation_id,
    priority: metadata?.priority,
    ttl_hours: metadata?.ttl_hours,
    body_digest: body.body_digest,
    run_id: body.run_id,
    expires_at: body.expires_at,
    updated_at: body.updated_at,
  }
}

/** The digest is unknown, so a repeat of such a request is refused instead of answered. */
function earlierForm(body: Document): JsonRow<'inbox_entry'> {
  const received = new Date(String(body.received_at))
  const expires = new Date(received.getTime() + Number(body.ttl_hours) * HOUR_MS)
  return { ...body, body_digest: '', expires_at: expires, updated_at: received }
}

function ending(outcome: Document, row: JsonRow<'inbox_entry'>): JsonRow<'inbox_entry'> {
  const { status, resolution_kind, resolution_id, reason_code } = outcome
  if ('inbox_id' in outcome)
    return {
      status,
      resolution_kind,
      resolution_id,
      reason_code,
      reason: outcome.reason,
      updated_at: row.updated_at,
    }
  const [resolution, reason] = [outcome.resolution, outcome.reason] as (Document | null)[]
  return {
    status,
    resolution_kind: resolution?.kind,
    resolution_id: resolution?.id,
    reason_code: reason?.code,
    reason: reason?.message,
    updated_at: outcome.updated_at,
    expires_at: outcome.expires_at ?? row.expires_at,
  }
}
