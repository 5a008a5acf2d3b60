/** The message of the one commit of a proposal, and how it is found again ([apply#commit-message], [proposals#I-P1]). */
export type CommitFacts = {
  proposalId: string
  inboxEntry: string
  action: string
  /** The agent's slug, or the source identity. */
  by: string
  summary: string
  reasoning: string
  paths: readonly string[]
  approvedBy: string
  agent: string | null
  runId: string | null
  baseRevision: string
  reviewDigest: string | null
  forcedOver: string | null
  reverts: string | null
  editedFrom: string | null
}

const ID_TRAILER = 'Proposal-Id'
const TRAILER = /^([A-Za-z][A-Za-z-]*): (.+)$/
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A line of prose that looks like a trailer is indented, so that no text can pass for one. */
const prose = (text: string): string =>
  text
    .split('\n')
    .map((line) => (TRAILER.test(line) ? `  ${line}` : line))
    .join('\n')
    .trim()

export function commitMessage(facts: CommitFacts): string {
  const trailers: [string, string | null][] = [
    [ID_TRAILER, facts.proposalId],
    ['Inbox-Entry', facts.inboxEntry],
    ['Action', facts.action],
    ['Approved-By', facts.approvedBy],
    ['Agent', facts.agent],
    ['Run-Id', facts.runId],
    ['Base-Revision', facts.baseRevision],
    ['Review-Digest', facts.reviewDigest],
    ['Forced-Over', facts.forcedOver],
    ['Reverts', facts.reverts],
    ['Edited-From', facts.editedFrom],
  ]
  const paragraphs = [
    `[${facts.by}] ${oneLine(facts.summary)}`,
    prose(facts.reasoning),
    ['Files:', ...facts.paths.map((path) => `- ${path}`)].join('\n'),
    trailers
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => `${name}: ${oneLine(value ?? '')}`)
      .join('\n'),
  ]
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`
}

/** The Proposal a commit belongs to: the `Proposal-Id` line of its last paragraph, if that is all trailers and names one. */
export function proposalOfCommit(message: string): string | null {
  const last =
    message
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? ''
  const lines = last.split('\n').map((line) => TRAILER.exec(line))
  if (lines.some((line) => line === null)) return null
  const named = lines.filter((line) => line?.[1] === ID_TRAILER)
  return named.length === 1 ? (named[0]?.[2] ?? null) : null
}
