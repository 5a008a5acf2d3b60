/** What is written in the form of a new task, and the request that it makes. Pure. */
import type { z } from 'zod'
import type { createTaskInput } from '#contracts/llm-task.contract.ts'
import { OUTPUT_FORMATS } from '#domain/task/completion.rules.ts'

export const NEW_TASK = {
  agent: '',
  context: '',
  prompt: '',
  format: OUTPUT_FORMATS[0] as string,
  timeout: '120',
  labels: '',
  attempts: '3',
}
export type NewTaskFields = typeof NEW_TASK
export type NewTaskField = keyof NewTaskFields

export const TIMEOUT_SECONDS = { least: 1, most: 3_600 } as const
export const ATTEMPTS = { least: 1, most: 10 } as const

/** The field of the form that a field of the request is written in. */
const FIELD_OF: Readonly<Record<string, NewTaskField>> = {
  agent_slug: 'agent',
  context_id: 'context',
  prompt: 'prompt',
  desired_format: 'format',
  'policy.timeout_sec': 'timeout',
  'policy.required_labels': 'labels',
  max_attempts: 'attempts',
}

export const fieldOf = (path: string): NewTaskField | undefined =>
  Object.entries(FIELD_OF).find(([name]) => path === name || path.startsWith(`${name}.`))?.[1]

export const labelsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  ),
]

const isWithin = (text: string, { least, most }: { least: number; most: number }): boolean =>
  /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most

export const isReady = ({ agent, context, prompt, timeout, attempts }: NewTaskFields): boolean =>
  [agent, context, prompt].every((text) => text.trim() !== '') &&
  isWithin(timeout, TIMEOUT_SECONDS) &&
  isWithin(attempts, ATTEMPTS)

export const requestOf = (fields: NewTaskFields): z.input<typeof createTaskInput> => ({
  agent_slug: fields.agent.trim(),
  context_id: fields.context.trim(),
  prompt: fields.prompt,
  desired_format: OUTPUT_FORMATS.find((format) => format === fields.format) ?? OUTPUT_FORMATS[0],
  max_attempts: Number(fields.attempts),
  policy: { timeout_sec: Number(fields.timeout), required_labels: labelsOf(fields.labels) },
})
