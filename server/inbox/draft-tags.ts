import type { z } from 'zod'
import type { tagPayload } from '#contracts/inbox.contract.ts'
import { annotationPath, type Target } from '#domain/garden/target.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { taggedText } from '#server/garden/tagged-text.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { type Draft, type DraftContext, pathNotAllowed, statedOf } from './draft.ts'
import { missingTarget } from './known-targets.query.ts'

type Tagged = Extract<Target, { space: 'notes' | 'artifacts' }>
type Tags = { add: string[]; remove: string[] }

/** `propose-tag`: tags of a note live in its frontmatter, tags of an artifact in a file of annotations. */
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
  const summary = payload.summary ?? `Tags: ${named}`.slice(0, 200)
  const stated = statedOf({ ...payload, summary })
  return ok({ target: { type: 'tag', path: address }, ownPath: null, ...stated, changes: [change.value] })
}

async function changeOfTags(
  { garden, head }: DraftContext,
  target: Tagged,
  tags: Tags,
): Promise<Result<DraftChange>> {
  const path = target.space === 'notes' ? target.path : annotationPath(target.artifactId)
  const file = await garden.read(path, head)
  const text = taggedText(path, file?.text ?? null, tags)
  if (text === null)
    return refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
  return ok({ path, diff: file ? { type: 'replace', text } : { type: 'create', text }, tags })
}
