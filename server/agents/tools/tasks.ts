import { type AgentDefinition, type Task, ToolFailure } from '#server/ports/agent-executor.ts'
import { gardenCheckTask } from './garden-check.task.ts'
import { linkSuggestionsTask } from './link-suggestions.task.ts'
import { researchBriefTask } from './research-brief.task.ts'

/** What the extractive executor can do. A definition chooses by a heading of its body: `## Task: research-brief`. */
export const TASKS = {
  'research-brief': researchBriefTask,
  'link-suggestions': linkSuggestionsTask,
  'garden-check': gardenCheckTask,
} as const satisfies Record<string, Task>
export type TaskName = keyof typeof TASKS

const HEADING = /^##[ \t]+Task:[ \t]*([a-z][a-z-]*)[ \t]*$/mu

/** The task that a body names first, or null. */
export function taskNameOf(body: string): TaskName | null {
  const name = HEADING.exec(body)?.[1] ?? ''
  return Object.hasOwn(TASKS, name) ? (name as TaskName) : null
}

/** The task of a definition; throws ToolFailure DEFINITION_INVALID when its body names none that is known. */
export function taskOf({ slug, body }: Pick<AgentDefinition, 'slug' | 'body'>): Task {
  const name = taskNameOf(body)
  if (name) return TASKS[name]
  const known = Object.keys(TASKS).join(', ')
  throw new ToolFailure(
    'DEFINITION_INVALID',
    `${slug} needs a heading “## Task: …” that names one of: ${known}.`,
  )
}
