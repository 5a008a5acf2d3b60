/**
 * The executor of agents whose model is `worker/<label>` or `worker/*`: a Worker Node answers their prompts.
 *
 *   prompt → LLM Task → answer → asks for tools  → their answers join the next prompt, at most `max_steps` times
 *                              → ends            → checked, then proposed
 *                              → does not fit    → told what is wrong, once; then OUTPUT_INVALID
 *
 * It holds nothing between runs and is deterministic, so the pipeline may run it again from the journal at any time. Whatever it read or was answered is
 * data: what it may call and propose is enforced by the proxies, whatever the text says, and every outcome is tainted.
 */
import {
  type AgentExecutor,
  type AgentOutput,
  agentOutput,
  type ExecutorInput,
  estimateTokens,
  type ModelAnswer,
  ToolFailure,
  type ToolProxies,
} from '#server/ports/agent-executor.ts'
import { countGrounded } from '#server/retrieval/check-grounding.ts'
import type { IndexDocument } from '#server/retrieval/document-lines.ts'
import { sentencesOf } from '#server/retrieval/sentences.ts'
import { type AskedCall, type Ending, faultsOf, readAnswer } from './model-answer.ts'
import { documentsOf, numbered, promptOf, type Turn } from './model-prompt.ts'

const ENGINE = { id: 'worker', model: null, version: '1' }

/** @param serves whether a Worker Node that could answer for the model is registered */
export const createWorkerExecutor = (serves: (model: string) => Promise<boolean>): AgentExecutor => ({
  engine: ENGINE,
  serves,
  execute: (input) => new Execution(input).run(),
})

/** What one execution has read and been answered so far. */
class Execution {
  readonly #input: ExecutorInput
  readonly #documents: IndexDocument[]
  readonly #turns: Turn[] = []
  readonly #answers: ModelAnswer[] = []
  readonly #jobs: string[] = []
  readonly #artifacts: string[] = []
  #repaired = false

  constructor(input: ExecutorInput) {
    this.#input = input
    this.#documents = documentsOf(input.context)
  }

  async run(): Promise<AgentOutput> {
    const { definition } = this.#input
    for (let step = 1; step <= definition.max_steps; ) {
      const answer = await this.#ask({ mayAsk: step < definition.max_steps })
      const read = readAnswer(answer.output, definition, this.#documents)
      if (read.kind === 'faults') this.#repair(answer, read.faults)
      else if (read.kind === 'calls') {
        for (const call of read.calls) await this.#call(call)
        step++
      } else {
        const output = agentOutput.safeParse(this.#outputOf(read.end))
        if (output.success) return this.#propose(output.data)
        this.#repair(answer, faultsOf(output.error))
      }
    }
    throw new ToolFailure(
      'BUDGET_EXCEEDED',
      `The agent asked for more tools after its last step of ${definition.max_steps}.`,
    )
  }

  async #ask({ mayAsk }: { mayAsk: boolean }): Promise<ModelAnswer> {
    const { definition, tools } = this.#input
    const prompt = promptOf(this.#input, this.#turns, { mayAsk })
    const answer = await tools['llm-task']({ model: definition.model, prompt })
    this.#answers.push(answer)
    return answer
  }

  #repair(answer: ModelAnswer, faults: readonly string[]): void {
    if (this.#repaired)
      throw new ToolFailure('OUTPUT_INVALID', `The answer did not fit, nor did its correction: ${faults[0]}`)
    this.#repaired = true
    this.#turns.push({ kind: 'faults', answer: answer.output, faults })
  }

  async #call(call: AskedCall): Promise<void> {
    const text = await this.#read(call, this.#input.tools)
    this.#turns.push({ kind: 'tool', tool: call.tool, input: call.input, text })
  }

  /** The tool's answer as text; notes that were read may be quoted from now on. */
  async #read(call: AskedCall, tools: ToolProxies): Promise<string> {
    if (call.tool === 'search-notes') {
      const { results } = await tools['search-notes'](call.input)
      return results
        .map((hit) => `${hit.file}:${hit.lines.from}–${hit.lines.to}\n${hit.excerpt}`)
        .join('\n\n')
    }
    if (call.tool === 'read-notes') {
      const { notes } = await tools['read-notes'](call.input)
      const read = notes.map(({ path, revision, text }) => ({ ref: path, revision, text }))
      this.#documents.push(...read)
      return read.map((note) => `${note.ref}\n${numbered(note)}`).join('\n\n')
    }
    if (call.tool === 'notebooklm-query') {
      const { job_id, artifact_id, content } = await tools['notebooklm-query'](call.input)
      this.#jobs.push(job_id)
      this.#artifacts.push(artifact_id)
      return JSON.stringify(content)
    }
    const { text } = await tools['ask-person'](call.input)
    return text
  }

  #outputOf({ summary, proposals }: Ending): AgentOutput {
    const claims = proposals.flatMap(({ reasoning, citations }) =>
      sentencesOf(reasoning).map((text) => ({ text, refs: citations.map((c) => c.source) })),
    )
    const quoted = proposals.flatMap(({ citations }) =>
      citations.map(({ source, lines, quote, source_revision }) => ({
        ...{ ref: source, lines, excerpt: quote, revision: source_revision },
      })),
    )
    return {
      ...{ summary, proposals, memory_updates: [], logic_updates: [] },
      grounding: countGrounded(claims, quoted, this.#documents),
      usage: this.#usage(),
      jobs: this.#jobs,
      artifacts: [...this.#artifacts, ...this.#answers.map((answer) => answer.artifact_id)],
      engine: { ...ENGINE, model: this.#answers.at(-1)?.model ?? null },
      tainted: true,
    }
  }

  /** A worker counts input and output as one number; what the answers themselves take of it is estimated. */
  #usage(): AgentOutput['usage'] {
    const output = this.#answers.reduce((sum, answer) => sum + estimateTokens(answer.output), 0)
    const all = this.#answers.reduce((sum, answer) => sum + (answer.tokens_used ?? 0), 0)
    return { input: Math.max(0, all - output), output }
  }

  async #propose(output: AgentOutput): Promise<AgentOutput> {
    for (const proposal of output.proposals) await this.#input.tools['create-proposal'](proposal)
    return output
  }
}
