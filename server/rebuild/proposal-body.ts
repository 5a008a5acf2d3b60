import type { Document } from './read-objects.ts'

const HOUR_MS = 3_600_000

/** What no proposal has when it is made. */
const FRESH = {
  version: 1,
  attempt: 0,
  fence: 0,
  rebased: false,
  applied_paths: [],
  error: null,
  git_commit: null,
  lease_expires_at: null,
  seen_again: 0,
}

/** The row of a proposal as it was made, from a body of this or of an earlier form. */
export const proposalOf = (body: Document): Record<string, unknown> =>
  'content' in body ? pageForm(body) : earlierForm(body)

function pageForm(body: Document): Record<string, unknown> {
  const { source = {}, target = {}, content = {} } = body as Record<string, Document>
  const { id, inbox_entry_id, created_at, updated_at, expires_at, action, content_digest } = body
  const { base_revision, target_hash, priority, relations, status } = body
  return {
    ...FRESH,
    proposal_id: id,
    inbox_entry_id,
    created_at,
    updated_at,
    expires_at,
    action,
    content_digest,
    base_revision,
    target_hash,
    priority,
    relations,
    status,
    source_type: source.type,
    source_identity: source.identity,
    run_id: source.run_id,
    agent_slug: source.agent,
    agent_version: source.agent_version,
    tainted: source.tainted,
    target_type: target.type,
    target_path: target.path,
    summary: content.summary,
    reasoning: content.reasoning,
    changes: (content.changes as Document[]).map(({ diff, ...change }) => ({
      ...change,
      ...(diff as Document),
    })),
    citations: content.citations,
    entity_refs: content.entity_refs,
  }
}

/** It did not say how long it may wait: as long as one does that says nothing. */
function earlierForm(body: Document): Record<string, unknown> {
  const created = new Date(String(body.created_at))
  const expires_at = new Date(created.getTime() + 72 * HOUR_MS)
  return { ...FRESH, priority: 'normal', expires_at, updated_at: created, ...body }
}
