import type { z } from 'zod'
import type { tagPayload } from '#contracts/inbox.contract.ts'
import { annotationPath, type Target } from '#domain/garden/target.rules.ts'
import { cutText } from '#domain/kernel/cut-text.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { addedTagsAt } from '#server/garden/artifact-annotation.ts'
import { tagDiff } from '#server/garden/tagged-text.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { type Draft, type DraftContext, pathNotAllowed, statedOf } from './draft.ts'
import { missingTarget } from './known-targets.query.ts'

type Tagged = Extract<Target, { space: 'notes' | 'artifacts' }>
type Tags = { add: string[]; remove: string[] }

/** `propose-tag`: tags of a note live in its frontmatter, tags of an artifact in a file of annotations ([artifacts#tags]). */
export async function draftTag(
  context: DraftContext,
  payload: z.infer<typeof tagPayload>,
): Promise<Result<Draft>> {
  const { target, address } = context
  if (target.space !== 'notes' && target.space !== 'artifacts')
    return pathNotAllowed('Only notes and artifacts carry tags.')
  const missing = await missingTarget(context)
  if (missing) return missing
  const change = await changeOfTags(context, target, { add: [...payload.add], remove: [...payload.remove] })
  if (!change.ok) return change
  const named = [...payload.add.map((t) => `+${t}`), ...payload.remove.map((t) => `-${t}`)].join(' ')
  const summary = payload.summary ?? cutText(`Tags: ${named}`, 200)
  const stated = statedOf({ ...payload, summary })
  return ok({ target: { type: 'tag', path: address }, ownPath: null, ...stated, changes: [change.value] })
}

async function changeOfTags(
  context: DraftContext,
  target: Tagged,
  change: Tags,
): Promise<Result<DraftChange>> {
  const { garden, head, by, at, proposalId } = context
  if (target.space === 'artifacts') {
    const added = (await addedTagsAt(garden, target.artifactId, head)).map(({ tag }) => tag)
    const foreign = change.remove.filter((tag) => !added.includes(tag))
    if (foreign.length > 0)
      return refuse({
        code: 'DIFF_INVALID',
        message: `Only tags that were added to an artifact can be removed, which ${foreign.join(', ')} was not.`,
        details: { tags: foreign },
      })
  }
  const path = target.space === 'notes' ? target.path : annotationPath(target.artifactId)
  const stamp = { by, at: at.toISOString(), proposal_id: proposalId }
  const tags = target.space === 'artifacts' ? { ...change, stamp } : change
  const diff = tagDiff(path, (await garden.read(path, head))?.text ?? null, tags)
  return diff.ok ? ok({ path, diff: diff.value, tags, isKnownPath: true }) : diff
}
