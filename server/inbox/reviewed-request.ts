import type { ChangesRequested, RequestChangesInput } from '#contracts/change-request.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { quotedLine, type ReviewedTexts } from '#domain/proposal/change-request.rules.ts'
import { baseTextOf } from '#server/proposals/base-text.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { resultOfChange } from '#server/proposals/normal-form.ts'
import type { ProposalRow, StoredChange } from '#server/proposals/proposal-row.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'

type Parts = Pick<Services, 'db' | 'garden'>

/** The two texts of a change as it was proposed. */
export async function reviewedTexts(
  parts: Parts,
  row: Pick<ProposalRow, 'base_revision' | 'relations'>,
  change: StoredChange,
): Promise<ReviewedTexts> {
  const { text: base } = await baseTextOf(parts, row, change)
  const result = resultOfChange(change, base)
  return { base, proposed: result.ok ? result.value : null }
}

/** The request with each line word for word, if it is about what is there now: a comment counts for the text that it was made on. */
export async function reviewedRequest(
  parts: Parts,
  row: ProposalRow,
  input: RequestChangesInput,
): Promise<Result<ChangesRequested>> {
  const content = await currentContent(parts.garden)
  const standing = await standingAgainst(content, row.changes)
  const digest = reviewDigest(row, standing)
  if (input.review_digest !== digest) {
    const message = 'The diff has changed since it was reviewed. Review it again, then request changes.'
    return refuse({ code: 'STALE_REVIEW', message, details: { review_digest: digest } })
  }
  const comments: ChangesRequested['comments'] = []
  for (const comment of input.comments) {
    const at = row.changes.findIndex(({ path }) => path === comment.path)
    const change = row.changes[at]
    // Of a file that has changed meanwhile other lines are on screen than those that were proposed.
    const isClean = standing.changes[at]?.state === 'clean'
    const quote = change && isClean ? quotedLine(await reviewedTexts(parts, row, change), comment) : null
    if (quote === null) return noSuchLine(comment)
    comments.push({ ...comment, body: redactText(comment.body), quote: redactText(quote) })
  }
  const note = input.note ? redactText(input.note) : null
  return ok({ proposal_id: row.proposal_id, review_digest: digest, note, comments })
}

const noSuchLine = ({ path, line }: { path: string; line: number }): Result<never> => {
  const details = [{ field: 'comments', message: `${path} has no line ${line} here that could be commented` }]
  return refuse({
    code: 'VALIDATION_FAILED',
    message: `${path}: line ${line} cannot be commented. Reload the proposal.`,
    details,
  })
}
