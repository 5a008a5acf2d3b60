import { describe, expect, it } from 'vitest'
import {
  type ProposedChange,
  type ToolCall,
  ToolFailure,
  type ToolHandlers,
  type ToolJournal,
  type ToolOutcome,
  WaitingForWork,
} from '#server/ports/agent-executor.ts'
import { createToolProxies } from './tool-proxies.ts'

type Line = { call: ToolCall; outcome: ToolOutcome }
function journal(lines: Line[] = []): ToolJournal & { lines: Line[] } {
  return {
    lines,
    recall: async (index) => lines.find((l) => l.call.index === index),
    record: async (call, outcome) => void lines.push(structuredClone({ call, outcome })),
  }
}

const BRIEF = { job_id: 'j', artifact_id: 'a', content: {}, sources: [], grounding: {} }
const CHANGE: ProposedChange = {
  action: 'propose-note',
  kind: 'note',
  target: 'notes/x.md',
  diff: { type: 'create', text: 'x' },
  summary: 's',
  reasoning: 'r',
  citations: [],
}
const definition = {
  tools: ['notebooklm-query', 'read-notes', 'create-proposal'],
  safe_outputs: ['propose-note'],
}

function handlers(more: Partial<ToolHandlers> = {}) {
  const asked: string[] = []
  const answer =
    <A>(tool: string, value: A) =>
    async () => {
      asked.push(tool)
      return value
    }
  const all: ToolHandlers = {
    'notebooklm-query': answer('notebooklm-query', BRIEF),
    'read-notes': answer('read-notes', { revision: 'r', notes: [] }),
    'search-notes': answer('search-notes', { results: [], index_revision: 'r' }),
    'read-context': answer('read-context', {} as never),
    'ask-person': answer('ask-person', {} as never),
    'llm-task': answer('llm-task', {} as never),
    ...more,
  }
  return { all, asked }
}

describe('tool proxies', () => {
  it('answers a listed tool that is not configured with an outcome of its own, recorded once', async () => {
    const log = journal()
    for (let run = 0; run < 2; run++) {
      const known = { ...definition, tools: ['read-drakon', 'write-memory'] }
      const tools = createToolProxies({ definition: known, handlers: handlers().all, journal: log })
      const missing = { code: 'TOOL_NOT_CONFIGURED', retryable: false }
      await expect(tools['read-drakon']({})).rejects.toMatchObject(missing)
      await expect(tools['propose-memory-update']({})).rejects.toMatchObject(missing)
      await expect(tools['read-memory']({})).rejects.toMatchObject({ code: 'TOOL_DENIED' })
    }
    expect(log.lines.map((l) => [l.call.tool, l.outcome.ok])).toEqual([
      ['read-drakon', false],
      ['propose-memory-update', false],
    ])
  })

  it('journals every call with its number, and replays what a call has answered without asking again', async () => {
    const log = journal()
    for (let run = 0; run < 2; run++) {
      const { all, asked } = handlers()
      const tools = createToolProxies({ definition, handlers: all, journal: log })
      expect(await tools['notebooklm-query']({ question: 'q' })).toEqual(BRIEF)
      expect(await tools['read-notes']({})).toEqual({ revision: 'r', notes: [] })
      expect(await tools['create-proposal'](CHANGE)).toEqual({ index: 0 })
      expect(asked).toEqual(run === 0 ? ['notebooklm-query', 'read-notes'] : ['read-notes'])
    }
    expect(log.lines.map((l) => [l.call.index, l.call.tool, l.outcome.ok])).toEqual([
      [0, 'notebooklm-query', true],
      [1, 'read-notes', true],
      [2, 'create-proposal', true],
    ])
    expect(log.lines[1]?.outcome).not.toHaveProperty('value')
  })

  it('lets a wait pass through unrecorded, so that the next execution asks again', async () => {
    const log = journal()
    const waiting = handlers({
      'notebooklm-query': async () => Promise.reject(new WaitingForWork({ kind: 'job', id: 'j' })),
    })
    await expect(
      createToolProxies({ definition, handlers: waiting.all, journal: log })['notebooklm-query']({
        question: 'q',
      }),
    ).rejects.toMatchObject({ work: { kind: 'job', id: 'j' } })
    expect(log.lines).toEqual([])
    const tools = createToolProxies({ definition, handlers: handlers().all, journal: log })
    expect(await tools['notebooklm-query']({ question: 'q' })).toEqual(BRIEF)
  })

  it.each([
    [false, 1],
    [true, 0],
  ])(
    'records a failure that is final, not one that may pass (retryable: %s)',
    async (retryable, recorded) => {
      const log = journal()
      const failing = handlers({
        'notebooklm-query': async () => Promise.reject(new ToolFailure('NLM_UNAVAILABLE', 'gone', retryable)),
      })
      const ask = () =>
        createToolProxies({ definition, handlers: failing.all, journal: log })['notebooklm-query']({
          question: 'q',
        })
      await expect(ask()).rejects.toMatchObject({ code: 'NLM_UNAVAILABLE' })
      expect(log.lines).toHaveLength(recorded)
      const later = createToolProxies({ definition, handlers: handlers().all, journal: log })[
        'notebooklm-query'
      ]({ question: 'q' })
      if (retryable) expect(await later).toEqual(BRIEF)
      else await expect(later).rejects.toMatchObject({ code: 'NLM_UNAVAILABLE', retryable: false })
    },
  )

  it('refuses another call at a number that is taken: other input, other tool', async () => {
    const log = journal()
    await createToolProxies({ definition, handlers: handlers().all, journal: log })['notebooklm-query']({
      question: 'q',
    })
    const again = () => createToolProxies({ definition, handlers: handlers().all, journal: log })
    await expect(again()['notebooklm-query']({ question: 'other' })).rejects.toMatchObject({
      code: 'CHECKPOINT_MISMATCH',
    })
    await expect(again()['read-notes']({})).rejects.toMatchObject({ code: 'CHECKPOINT_MISMATCH' })
  })

  it('refuses a pinned read that answers other than it did', async () => {
    const log = journal()
    await createToolProxies({ definition, handlers: handlers().all, journal: log })['read-notes']({})
    const moved = handlers({ 'read-notes': async () => ({ revision: 'r2', notes: [] }) })
    await expect(
      createToolProxies({ definition, handlers: moved.all, journal: log })['read-notes']({}),
    ).rejects.toMatchObject({ code: 'CHECKPOINT_MISMATCH' })
  })

  it('does not call a tool that the definition does not name', async () => {
    const { all, asked } = handlers()
    const tools = createToolProxies({ definition, handlers: all, journal: journal() })
    await expect(tools['search-notes']({ query: 'q', top_k: 3 })).rejects.toMatchObject({
      code: 'TOOL_DENIED',
    })
    await expect(tools['read-context']({})).rejects.toMatchObject({ code: 'TOOL_DENIED' })
    expect(asked).toEqual([])
  })

  it.each([
    [{ ...CHANGE, action: 'propose-edit' }, 'TOOL_DENIED'],
    [{ ...CHANGE, action: 'logic-update' }, 'OUTPUT_INVALID'],
    [{ ...CHANGE, summary: '' }, 'OUTPUT_INVALID'],
    [{ ...CHANGE, changes: [{ path: 'x.md', diff: CHANGE.diff }] }, 'OUTPUT_INVALID'],
    [{ ...CHANGE, approve: true }, 'OUTPUT_INVALID'],
  ])('takes no proposal past the safe outputs or the schema', async (change, code) => {
    const tools = createToolProxies({ definition, handlers: handlers().all, journal: journal() })
    await expect(tools['create-proposal'](change as ProposedChange)).rejects.toMatchObject({ code })
  })

  const { diff, kind: _, ...plain } = CHANGE
  const TAGS = { ...plain, action: 'propose-tag' as const, add: ['#sunny'], remove: ['wet'] }
  it.each([
    ['adds and removes', TAGS, 'taken'],
    ['only removes', { ...TAGS, add: [] }, 'taken'],
    ['does neither', { ...TAGS, add: [], remove: undefined }, 'OUTPUT_INVALID'],
    ['has a diff', { ...plain, action: 'propose-tag', diff }, 'OUTPUT_INVALID'],
    ['has a diff beside its tags', { ...TAGS, diff }, 'OUTPUT_INVALID'],
    ['adds what is no tag', { ...TAGS, add: ['two words'] }, 'OUTPUT_INVALID'],
    ['is of another action', { ...CHANGE, add: ['sunny'] }, 'OUTPUT_INVALID'],
  ])('takes a proposal of tags by its tags: one that %s', async (_what, change, outcome) => {
    const both = { ...definition, safe_outputs: ['propose-note', 'propose-tag'] }
    const tools = createToolProxies({ definition: both, handlers: handlers().all, journal: journal() })
    const asked = tools['create-proposal'](change as ProposedChange)
    expect(
      await asked.then(
        () => 'taken',
        (error: ToolFailure) => error.code,
      ),
    ).toBe(outcome)
  })

  it('stops an executor that calls without end', async () => {
    const tools = createToolProxies({ definition, handlers: handlers().all, journal: journal() })
    for (let i = 0; i < 60; i++) await tools['read-notes']({})
    await expect(tools['read-notes']({})).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  })
})
