/** An agent of the demo garden run by the extractive executor over notes that a test names, and what the tests ask of its output. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAgentFile } from '#server/agents/agent-file.ts'
import { taskOf } from '#server/agents/tools/tasks.ts'
import { createToolProxies } from '#server/agents/tools/tool-proxies.ts'
import {
  type AgentOutput,
  type ProposedChange,
  type ToolOutcome,
  WaitingForWork,
} from '#server/ports/agent-executor.ts'
import { research } from '#server/retrieval/research-engine.ts'
import { buildIndex } from '#server/retrieval/search-index.ts'
import { createExtractiveExecutor } from '../extractive.ts'

export const REVISION = 'a'.repeat(40)
export const JOB = '0f0e7a52-0000-4000-8000-000000000001'
export type Notes = Record<string, string>
type Options = {
  params?: Record<string, unknown>
  journal?: unknown[]
  waitFirst?: boolean
  definition?: object
  context?: object
}

export const definitionOf = (slug: string) => {
  const file = path.join(import.meta.dirname, `../../../../prisma/seed/garden/agents/${slug}/_agent.md`)
  return parseAgentFile(readFileSync(file, 'utf8'), slug)
}

/** Runs an agent of the demo garden over notes, with a journal that is kept between executions. */
export function runAgent(
  slug: string,
  garden: Notes,
  { params = {}, journal = [], waitFirst = false, definition = {}, context = {} }: Options = {},
): Promise<AgentOutput> {
  const notes = Object.entries(garden).map(([p, text]) => ({ path: p, revision: REVISION, text }))
  const index = buildIndex(notes.map((n) => ({ ref: n.path, revision: n.revision, text: n.text })))
  const lines = journal as {
    call: { index: number; tool: never; inputDigest: string }
    outcome: ToolOutcome
  }[]
  const known = { ...definitionOf(slug).definition, ...definition }
  const tools = createToolProxies({
    definition: known,
    journal: {
      recall: async (i) => lines.find((l) => l.call.index === i),
      record: async (call, outcome) =>
        void lines.push(structuredClone({ call, outcome }) as (typeof lines)[number]),
    },
    handlers: {
      'notebooklm-query': async ({ question, language, max_sections }) => {
        if (waitFirst) throw new WaitingForWork({ kind: 'job', id: JOB })
        const asked = {
          query: question,
          ...(language ? { language } : {}),
          ...(max_sections ? { maxSections: max_sections } : {}),
        }
        return { job_id: JOB, artifact_id: `art-${JOB}`, ...research(index, asked) }
      },
      'read-notes': async ({ paths }) => ({
        revision: REVISION,
        notes: notes.filter((n) => paths?.includes(n.path) ?? true),
      }),
      'search-notes': async () => ({ results: [], index_revision: REVISION }),
      'read-context': async () => Promise.reject(new Error('not used')),
      'ask-person': async () => Promise.reject(new Error('not used')),
      'llm-task': async () => Promise.reject(new Error('not used')),
    },
  })
  return createExtractiveExecutor(taskOf).execute({
    definition: known,
    context: context as never,
    params,
    tools,
    today: '2026-02-24',
  })
}

export const textOf = (p: ProposedChange | undefined) => (p?.diff && 'text' in p.diff ? p.diff.text : '')
export const isVerbatim = (garden: Notes, p: ProposedChange) =>
  p.citations.every((c) =>
    (garden[c.source] ?? '')
      .split('\n')
      .slice(c.lines.from - 1, c.lines.to)
      .join('\n')
      .includes(c.quote),
  )

export const GARDEN: Notes = {
  'README.md': '# Garden\n\nSee [[plot lease]] and [water](вода/полив.md).\n',
  'plot lease.md':
    '# Plot Lease\n\nA plot lease lasts one year. When the lease expired, the plot goes to the next gardener.\n',
  'вода/полив.md':
    '# Полив яблунь\n\nМолоді яблуні поливають щотижня. Про землю каже Plot Lease, і ще раз plot lease.\n\n| Що | Де |\n|---|---|\n| Межі | Tool Shed |\n',
  'shed/tool-shed.md':
    '---\ntitle: Tool Shed\n---\n# Tool Shed\n\nKeys are at [[gate house]]. Полив яблунь має свій шланг. `Plot Lease` is code.\n',
}
