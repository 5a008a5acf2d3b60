import { describe, expect, test } from 'vitest'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { createToolProxies } from '#server/agents/tools/tool-proxies.ts'
import type { AgentDefinition, ModelQuestion, ToolOutcome } from '#server/ports/agent-executor.ts'
import { createWorkerExecutor } from './worker.ts'

const REVISION = 'b'.repeat(40)
const NOTE = '# Leases\n\nA plot lease lasts one year.\nIt ends in autumn.\n'
const SHED = '# Shed\n\nThe key hangs at the gate.\n'

const context: ContextSnapshot = {
  ...{ schema: 'context/1', agent_slug: 'clerk', memory_revision: null, mode: 'basic', definition: {} },
  ...{ layer1: {}, entities: [], feedback: [], totals: {}, dropped: [] },
  sources: [{ ref: 'leases.md', revision: REVISION, text: NOTE }],
  fragments: [
    { ref: 'beds.md', revision: REVISION, text: 'Leeks stand here.', score: 1, lines: { from: 7, to: 7 } },
  ],
}
const DEFINITION: AgentDefinition = {
  ...{ slug: 'clerk', version: '1.0.0', model: 'worker/any', max_steps: 3, task: null },
  tools: ['read-notes', 'create-proposal'],
  safe_outputs: ['propose-note'],
  body: 'Say how long a lease lasts.',
}
const proposal = (more: object = {}) => ({
  ...{
    action: 'propose-note',
    kind: 'note',
    target: 'notes/answer.md',
    diff: { type: 'create', text: '# A\n' },
  },
  ...{ summary: 'How long a lease lasts', reasoning: 'A plot lease lasts one year.' },
  citations: [{ source: 'leases.md', lines: { from: 3, to: 3 }, quote: 'A plot lease lasts one year.' }],
  ...more,
})
const ends = (...proposals: object[]) => JSON.stringify({ summary: 'Answered.', proposals })
const asks = (...calls: object[]) => JSON.stringify({ calls })

type Line = { call: { index: number; tool: never; inputDigest: string }; outcome: ToolOutcome }

/** Runs the agent with these answers of its model; `prompts` is what it was asked. */
async function run(answers: string[], { definition = {}, lines = [] as Line[] } = {}) {
  const prompts: string[] = []
  const known = { ...DEFINITION, ...definition }
  const absent = async () => Promise.reject(new Error('not used'))
  const tools = createToolProxies({
    definition: known,
    journal: {
      recall: async (i) => lines.find((line) => line.call.index === i),
      record: async (call, outcome) => void lines.push({ call, outcome } as Line),
    },
    handlers: {
      'llm-task': async ({ prompt }: ModelQuestion, { index }) => {
        prompts.push(prompt)
        const output = answers[prompts.length - 1] ?? ''
        return { task_id: `t${index}`, artifact_id: `art-${index}`, output, tokens_used: 900, model: 'm-1' }
      },
      'read-notes': async () => ({
        revision: REVISION,
        notes: [{ path: 'shed.md', revision: REVISION, text: SHED }],
      }),
      ...{ 'search-notes': absent, 'read-context': absent, 'notebooklm-query': absent, 'ask-person': absent },
    },
  })
  const executor = createWorkerExecutor(async () => true)
  const output = await executor.execute({
    ...{ definition: known, context, params: { question: 'How long?' }, tools, today: '2026-02-24' },
  })
  return { output, prompts }
}

describe('the executor of Worker Nodes', () => {
  test('proposes what the model answered, tainted, with its artifact, its tokens and the share that is grounded', async () => {
    const { output } = await run([ends(proposal())])
    expect(output).toMatchObject({
      summary: 'Answered.',
      proposals: [
        { target: 'notes/answer.md', citations: [{ source: 'leases.md', source_revision: REVISION }] },
      ],
      grounding: { status: 'grounded', claims: 1, grounded_claims: 1 },
      engine: { id: 'worker', model: 'm-1' },
      artifacts: ['art-0'],
      tainted: true,
    })
    expect(output.usage.input + output.usage.output).toBe(900)
  })

  test('sends its instructions, its request and what was read as numbered data between marks that nobody could write', async () => {
    const { prompts } = await run([ends()])
    expect(prompts[0]).toContain('Say how long a lease lasts.')
    expect(prompts[0]).toContain('3: A plot lease lasts one year.')
    expect(prompts[0]).toContain('7: Leeks stand here.')
    const mark = /<(data-[0-9a-f]{16})> request\n/.exec(prompts[0] ?? '')?.[1]
    expect(prompts[0]).toContain(`</${mark}>`)
    expect((await run([ends()])).prompts).toEqual(prompts)
  })

  test('reads more when the model asks for it, and lets that be quoted', async () => {
    const cited = proposal({
      reasoning: 'The key hangs at the gate.',
      citations: [{ source: 'shed.md', lines: { from: 1, to: 1 }, quote: 'The key hangs at the gate.' }],
    })
    const { output, prompts } = await run([
      asks({ tool: 'read-notes', input: { paths: ['shed.md'] } }),
      ends(cited),
    ])
    expect(prompts[1]).toContain('3: The key hangs at the gate.')
    // Its lines were wrong, and are put right.
    expect(output.proposals[0]?.citations).toMatchObject([{ source: 'shed.md', lines: { from: 3, to: 3 } }])
    expect(output.grounding.status).toBe('grounded')
  })

  test('leaves out a quote that stands nowhere, and counts its sentence as ungrounded', async () => {
    const invented = proposal({
      citations: [{ source: 'leases.md', lines: { from: 3, to: 3 }, quote: 'A lease lasts ten years.' }],
    })
    const { output } = await run([ends(invented)])
    expect(output.proposals[0]?.citations).toEqual([])
    expect(output.grounding).toEqual({ status: 'ungrounded', claims: 1, grounded_claims: 0 })
  })

  test.each([
    ['no JSON', 'Sure! Here you go.', 'not one JSON object'],
    ['a field that is none', ends(proposal({ approve: true })), 'proposals.0'],
    [
      'an action that it may not propose',
      ends(proposal({ action: 'propose-edit' })),
      'propose-edit is not allowed',
    ],
    [
      'a tool that it may not call',
      asks({ tool: 'ask-person', input: { text: 'Who?' } }),
      'ask-person is not allowed',
    ],
    ['a call of the system', asks({ tool: 'approve', input: {} }), 'calls.0'],
  ])('says what is wrong with %s, once, and takes the correction', async (_what, answer, fault) => {
    const { output, prompts } = await run([answer, ends(proposal())])
    expect(prompts[1]).toContain(fault)
    expect(output.proposals).toHaveLength(1)
    await expect(run([answer, answer])).rejects.toMatchObject({ code: 'OUTPUT_INVALID' })
  })

  test('ends a model that goes on asking after its last step', async () => {
    const ask = asks({ tool: 'read-notes', input: { paths: ['shed.md'] } })
    await expect(run([ask, ask, ask, ask])).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  })

  test('comes to the same end from its journal', async () => {
    const lines: Line[] = []
    const answers = [asks({ tool: 'read-notes', input: { paths: ['shed.md'] } }), ends(proposal())]
    const first = await run(answers, { lines })
    const recorded = structuredClone(lines)
    const second = await run(answers, { lines })
    expect(second.output).toEqual(first.output)
    expect(lines).toEqual(recorded)
  })

  test('proposes nothing without the right to, whatever the model answers', async () => {
    const definition = { tools: ['read-notes'] }
    await expect(run([ends(proposal())], { definition })).rejects.toMatchObject({ code: 'TOOL_DENIED' })
  })
})
