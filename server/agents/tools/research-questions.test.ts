import { describe, expect, it } from 'vitest'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { createExtractiveExecutor } from '#server/adapters/agent-executor/extractive.ts'
import {
  type PersonQuestion,
  type ToolInput,
  type ToolOutcome,
  WaitingForAnswer,
} from '#server/ports/agent-executor.ts'
import { research } from '#server/retrieval/research-engine.ts'
import { buildIndex, search } from '#server/retrieval/search-index.ts'
import { taskOf } from './tasks.ts'
import { createToolProxies } from './tool-proxies.ts'

const REVISION = 'a'.repeat(40)
const ID = '0f0e7a52-0000-4000-8000-000000000001'
const ALL_TOOLS = ['notebooklm-query', 'read-notes', 'search-notes', 'create-proposal', 'ask-person']
const GARDEN: Record<string, string> = {
  'Beds/Roses.md': '# Roses\n\nRoses of the bed are pruned in March, above the fifth bud.\n',
  'Wall/Roses.md': '# Roses\n\nRoses on the wall are pruned after they flower, in July.\n',
  'Leeks.md': '# Leeks\n\nLeeks are hilled up in August.\n',
}

type Agent = {
  question?: string
  body?: string
  tools?: string[]
  language?: 'en' | 'uk'
  context?: Partial<ContextSnapshot>
}

/** Runs the agent until it ends; each question gets the next reply, or is left open without one. */
async function runs(
  { question, body = '', tools = ALL_TOOLS, language, context = {} }: Agent,
  replies: (string | null)[] = [],
) {
  const index = (paths: string[]) =>
    buildIndex(paths.map((ref) => ({ ref, revision: REVISION, text: GARDEN[ref] ?? '' })))
  const asked: PersonQuestion[] = []
  const queries: ToolInput<'notebooklm-query'>[] = []
  const lines: { call: { index: number; tool: never; inputDigest: string }; outcome: ToolOutcome }[] = []
  const known = { tools, safe_outputs: ['propose-note'], slug: 'scout', task: null, body }
  const proxies = createToolProxies({
    definition: known,
    journal: {
      recall: async (i) => lines.find((l) => l.call.index === i),
      record: async (call, outcome) => void lines.push({ call, outcome } as (typeof lines)[number]),
    },
    handlers: {
      'notebooklm-query': async (input) => {
        queries.push(input)
        const named = input.sources?.map(({ ref }) => ref) ?? Object.keys(GARDEN)
        return { job_id: ID, artifact_id: `art-${ID}`, ...research(index(named), { query: input.question }) }
      },
      'read-notes': async ({ paths }) => ({
        revision: REVISION,
        notes: Object.entries(GARDEN)
          .filter(([path]) => paths?.includes(path) ?? true)
          .map(([path, text]) => ({ path, revision: REVISION, text })),
      }),
      'search-notes': async ({ query, top_k }) => ({
        results: search(index(Object.keys(GARDEN)), query, top_k).map((hit) => ({
          ...{ score: hit.score, raw_score: hit.raw, file: hit.ref },
          ...{ lines: hit.lines, excerpt: hit.excerpt, revision: REVISION },
        })),
        index_revision: REVISION,
      }),
      'read-context': async () => Promise.reject(new Error('not used')),
      'llm-task': async () => Promise.reject(new Error('not used')),
      'ask-person': async (input) => {
        const reply = replies[asked.push(input) - 1]
        if (reply === undefined) throw new WaitingForAnswer(ID)
        const by =
          reply === null ? { kind: 'default' as const } : { kind: 'person' as const, identity: 'owner' }
        return { question_id: ID, question: input.text, text: reply ?? input.default ?? '', choice: null, by }
      },
    },
  })
  const output = await createExtractiveExecutor(taskOf).execute({
    definition: { ...known, version: '1.0.0', model: 'extractive', max_steps: 5 },
    context: context as never,
    params: { ...(question ? { question } : {}), ...(language ? { language } : {}) },
    tools: proxies,
    today: '2026-02-24',
  })
  return { output, asked, queries }
}

const ROSES = 'When are the Roses pruned?'

describe('a research brief that lacks something', () => {
  it('asks which note is meant where several have the title, and reads the chosen one alone', async () => {
    const { output, asked, queries } = await runs({ question: ROSES }, ['Wall/Roses.md'])
    expect(asked).toEqual([
      {
        text: 'Several notes are called “Roses”. Which one do you mean?',
        choices: ['Beds/Roses.md', 'Wall/Roses.md', 'All of them'],
        default: 'All of them',
      },
    ])
    expect(queries).toEqual([{ question: ROSES, sources: [{ ref: 'Wall/Roses.md' }] }])
    const [note] = output.proposals
    expect(note?.citations.map((c) => c.source)).toEqual(['Wall/Roses.md'])
    expect(note?.reasoning).toContain(
      'Asked “Several notes are called “Roses”. Which one do you mean?”; owner answered: “Wall/Roses.md”.',
    )
  })

  it('reads all of them by default, and says that nobody answered; other words are searched for as well', async () => {
    const byDefault = await runs({ question: ROSES }, [null])
    expect(byDefault.queries).toEqual([{ question: ROSES }])
    expect(byDefault.output.proposals[0]?.reasoning).toContain('nobody answered, so the default was taken')
    const { queries } = await runs({ question: ROSES }, ['those on the wall'])
    expect(queries).toEqual([{ question: `${ROSES} those on the wall` }])
  })

  it('asks what to look for where neither the run nor its instructions say', async () => {
    await expect(runs({ language: 'uk' })).rejects.toBeInstanceOf(WaitingForAnswer)
    const { asked, queries } = await runs({}, ['When are Leeks hilled up?'])
    expect(asked).toEqual([{ text: 'What should scout look for? The run has no question.' }])
    expect(queries).toEqual([{ question: 'When are Leeks hilled up?' }])
  })

  it('asks once for other words where no note speaks of the question; the default leaves it', async () => {
    const left = await runs({ question: 'Any penguins?' }, [null])
    expect(left.asked).toEqual([
      { text: expect.stringContaining('“Any penguins?”'), default: 'Nothing, leave it' },
    ])
    expect(left.output).toMatchObject({ proposals: [], jobs: [ID] })
    const { output, queries } = await runs({ question: 'Any penguins?' }, ['Are Leeks hilled up?'])
    expect(queries.map(({ question }) => question)).toEqual(['Any penguins?', 'Are Leeks hilled up?'])
    expect(output.proposals).toHaveLength(1)
    expect(output.jobs).toHaveLength(2)
    expect((await runs({ question: 'Any penguins?' }, ['And seals?'])).asked).toHaveLength(1)
  })

  it('asks nothing where all is clear, or where its definition does not let it', async () => {
    expect((await runs({ question: 'When are Leeks hilled up?' })).asked).toEqual([])
    const silent = { tools: ALL_TOOLS.filter((tool) => tool !== 'ask-person') }
    expect((await runs({ ...silent, question: ROSES })).queries).toEqual([{ question: ROSES }])
    await expect(runs(silent)).rejects.toMatchObject({ code: 'OUTPUT_INVALID' })
  })
})

describe('a brief asked for changes', () => {
  const asked = (body: string) => ({
    question: 'When are Leeks hilled up?',
    context: {
      changes_requested: {
        target: 'notes/research/leeks.md',
        note: null,
        comments: [{ path: 'research/leeks.md', line: 1, side: 'proposed', body, quote: '# Leeks' }],
      },
    },
  })

  it('is made with the words of the request, in place of the first', async () => {
    const { output, queries } = await runs(asked('Say when they are hilled up.'))
    expect(queries.map((q) => q.question)).toEqual([
      'When are Leeks hilled up?\nSay when they are hilled up.',
    ])
    expect(output.proposals[0]).toMatchObject({ target: 'notes/research/leeks.md' })
  })

  it('is made by the question alone where those words lead nowhere', async () => {
    const { output, queries } = await runs(
      asked('Penguins, seals, whales, otters, walruses, puffins, orcas, narwhals and krill.'),
    )
    expect(queries).toHaveLength(2)
    expect(queries[1]).toEqual({ question: 'When are Leeks hilled up?' })
    expect(output.proposals[0]).toMatchObject({ target: 'notes/research/leeks.md' })
    expect(output.jobs).toHaveLength(2)
  })
})
