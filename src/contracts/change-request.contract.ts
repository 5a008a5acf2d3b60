import { z } from 'zod'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { CHANGE_REQUEST, COMMENT_SIDES } from '#domain/proposal/change-request.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { plainText, proposalIdSchema } from './proposal.contract.ts'
import { commandAnswer } from './proposal-commands.contract.ts'

/** Changes that the owner asks an agent for, and what became of them ([proposals#requesting-changes]). */
const lineComment = z
  .object({
    path: plainText(1024).min(1),
    /** `base`: a line as it stood before. `proposed`: a line of the proposed text. */
    side: z.enum(COMMENT_SIDES),
    /** Counted from 1. */
    line: z.number().int().min(1).max(1_000_000),
    body: plainText(CHANGE_REQUEST.body).min(1),
  })
  .strict()

const says = ({ comments, note }: { comments: readonly { body: string }[]; note?: string | undefined }) =>
  comments.length > 0 || Boolean(note)
const fits = ({
  comments,
  note = '',
}: {
  comments: readonly { body: string }[]
  note?: string | undefined
}) => comments.reduce((sum, { body }) => sum + body.length, note.length) <= CHANGE_REQUEST.characters

export const requestChangesInput = z
  .object({
    proposal_id: proposalIdSchema,
    /** What was on screen; an outdated one is 409 `STALE_REVIEW`. */
    review_digest: z.string().max(128),
    comments: z.array(lineComment).max(CHANGE_REQUEST.comments).default([]),
    note: plainText(CHANGE_REQUEST.note).optional(),
    /** The other pending proposals of the same run are superseded by the answer, too. */
    with_siblings: z.boolean().default(false),
  })
  .strict()
  .refine(says, { path: ['comments'], message: 'needs a comment or a note' })
  .refine(fits, {
    path: ['comments'],
    message: `must have at most ${CHANGE_REQUEST.characters} characters together with the note`,
  })
export type RequestChangesInput = z.output<typeof requestChangesInput>

export const requestChangesAnswer = commandAnswer.extend({ run_id: z.string(), inbox_id: z.string() })

export const requestedComment = lineComment.extend({
  /** The line word for word. */
  quote: z.string(),
})
export type RequestedComment = z.output<typeof requestedComment>

/** What the payload of the request's inbox entry says under `changes_requested`. */
export const changesRequested = z.object({
  proposal_id: proposalIdSchema,
  review_digest: z.string(),
  note: z.string().nullable(),
  comments: z.array(requestedComment),
})
export type ChangesRequested = z.output<typeof changesRequested>

/** Why nobody could answer a request. */
export const ANSWER_PROBLEMS = ['no_agent', 'agent_gone', 'agent_inactive', 'not_by_hand'] as const

export const changeRequestView = z.object({
  answerer: z.object({
    agent: z.string().nullable(),
    status: z.enum(agentMachine.states).nullable(),
    problem: z.enum(ANSWER_PROBLEMS).nullable(),
  }),
  /** Other proposals of its run that wait for a decision. */
  siblings: z.number(),
  /** The latest request for changes of this proposal; of one that answers a request, that request. */
  request: z
    .object({
      inbox_id: z.string(),
      proposal_id: z.string(),
      requested_at: z.string(),
      note: z.string().nullable(),
      /** `changed`: whether the line was changed by the answer; null while there is none. */
      comments: z.array(requestedComment.extend({ changed: z.boolean().nullable() })),
      run_id: z.string().nullable(),
      run_status: z.enum(runMachine.states).nullable(),
      /** Why the run failed or was cancelled. */
      run_error: z.string().nullable(),
      answered_by: z.string().nullable(),
    })
    .nullable(),
  /** Of a proposal that answers a request: each file as it was reviewed, and as it is proposed now. */
  since_review: z
    .array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
    .nullable(),
})
export type ChangeRequestView = z.output<typeof changeRequestView>
