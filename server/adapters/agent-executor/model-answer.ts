/**
 * What a language model may answer an agent's prompt with, and what of it counts.
 *
 * It asks for tools, `{calls}`, or it ends, `{summary, proposals}`. The schema that checks is the one that the prompt shows; what does not fit is a list of
 * faults, given to the model once. A quote counts only where it stands verbatim: wrong lines are put right, and a quote that stands nowhere in what was read
 * is left out, so that no invented evidence reaches a reviewer.
 */
import { z } from 'zod'
import type { lineRange } from '#contracts/research.contract.ts'
import {
  type AgentDefinition,
  changeCiting,
  OUTPUT_PROPOSAL_LIMIT,
  type ProposedChange,
  type ProposedCitation,
  personQuestion,
  proposedCitation,
} from '#server/ports/agent-executor.ts'
import { holdsAt } from '#server/retrieval/check-grounding.ts'
import { type IndexDocument, splitLines } from '#server/retrieval/document-lines.ts'
import { foldSpace } from '#server/retrieval/sentences.ts'

const CALLS = 8

/** The tools that a model may ask for, each with the input that it may send. */
const CALLS_OF = {
  'search-notes': z
    .object({ query: z.string().min(1).max(1000), top_k: z.number().int().min(1).max(20).default(8) })
    .strict(),
  'read-notes': z.object({ paths: z.array(z.string().min(1).max(1024)).min(1).max(10) }).strict(),
  'notebooklm-query': z.object({ question: z.string().min(1).max(4000) }).strict(),
  'ask-person': personQuestion,
} as const
export type AskedTool = keyof typeof CALLS_OF

const isAskedTool = (name: string): name is AskedTool => Object.hasOwn(CALLS_OF, name)

/** Those of them that the definition lists. */
export const toolsOf = ({ tools }: Pick<AgentDefinition, 'tools'>): AskedTool[] => tools.filter(isAskedTool)

const callOf = <T extends AskedTool>(tool: T) =>
  z.object({ tool: z.literal(tool), input: CALLS_OF[tool] }).strict()
const someCall = z.discriminatedUnion('tool', [
  callOf('search-notes'),
  callOf('read-notes'),
  callOf('notebooklm-query'),
  callOf('ask-person'),
])
export type AskedCall = z.output<typeof someCall>
const asking = z.object({ calls: z.array(someCall).min(1).max(CALLS) }).strict()

/** A proposal as a model writes it: which revision it quotes is known here, and not left to it. */
const drafted = changeCiting(proposedCitation.omit({ source_revision: true }))
const ending = z
  .object({ summary: z.string().min(1).max(2000), proposals: z.array(drafted).max(OUTPUT_PROPOSAL_LIMIT) })
  .strict()

export type Ending = { summary: string; proposals: ProposedChange[] }
export type Answer =
  | { kind: 'calls'; calls: AskedCall[] }
  | { kind: 'end'; end: Ending }
  | { kind: 'faults'; faults: string[] }

/** The JSON Schema of an ending, and of a request for the tools that the agent has. */
export const answerSchemas = (tools: readonly AskedTool[]): { ending: unknown; asking: unknown } => ({
  ending: z.toJSONSchema(ending),
  asking: Object.fromEntries(tools.map((tool) => [tool, z.toJSONSchema(CALLS_OF[tool], { io: 'input' })])),
})

/** @param documents what the agent has read: the only texts that may be quoted */
export function readAnswer(
  output: string,
  definition: Pick<AgentDefinition, 'tools' | 'safe_outputs'>,
  documents: readonly IndexDocument[],
): Answer {
  const value = z.record(z.string(), z.unknown()).safeParse(parsed(output))
  if (!value.success) return { kind: 'faults', faults: ['The answer is not one JSON object.'] }
  if ('calls' in value.data) return readCalls(value.data, toolsOf(definition))
  const end = ending.safeParse(value.data)
  if (!end.success) return { kind: 'faults', faults: faultsOf(end.error) }
  const { summary, proposals } = end.data
  const faults = proposals.flatMap(({ action }, i) =>
    definition.safe_outputs.includes(action) ? [] : [`proposals.${i}.action: ${action} is not allowed here`],
  )
  if (faults.length > 0) return { kind: 'faults', faults }
  return {
    kind: 'end',
    end: {
      summary,
      proposals: proposals.map((p) => ({ ...p, citations: standing(p.citations, documents) })),
    },
  }
}

function readCalls(value: unknown, tools: readonly string[]): Answer {
  const asked = asking.safeParse(value)
  if (!asked.success) return { kind: 'faults', faults: faultsOf(asked.error) }
  const { calls } = asked.data
  const faults = calls.flatMap(({ tool }, i) =>
    tools.includes(tool) ? [] : [`calls.${i}.tool: ${tool} is not allowed here`],
  )
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'calls', calls }
}

const FAULTS = 20
export const faultsOf = (error: z.ZodError): string[] =>
  error.issues.slice(0, FAULTS).map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Draft = Omit<ProposedCitation, 'source_revision'>

const standing = (drafts: readonly Draft[], documents: readonly IndexDocument[]): ProposedCitation[] =>
  drafts.flatMap((draft) => standingAt(draft, documents) ?? [])

function standingAt(draft: Draft, documents: readonly IndexDocument[]): ProposedCitation | null {
  const quote = foldSpace(draft.quote)
  for (const document of documents.filter((d) => d.ref === draft.source)) {
    const lines = holdsAt(document, draft.lines, quote)
      ? draft.lines
      : linesWith(document, quote, draft.quote)
    if (lines) return { ...draft, lines, source_revision: document.revision }
  }
  return null
}

/** The first lines of the document that hold the quote; a quote may be broken into one line more or less than its source. */
function linesWith(document: IndexDocument, quote: string, text: string): z.output<typeof lineRange> | null {
  const first = document.firstLine ?? 1
  const count = splitLines(document).length
  const height = text.trim().split('\n').length
  for (let lines = Math.max(1, height - 1); lines <= height + 1; lines++)
    for (let from = first; from + lines <= first + count; from++)
      if (holdsAt(document, { from, to: from + lines - 1 }, quote)) return { from, to: from + lines - 1 }
  return null
}
