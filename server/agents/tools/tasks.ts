import { type AgentDefinition, type Task, ToolFailure } from '#server/ports/agent-executor.ts'
import { DEFAULT_TASK, TASK_NAMES, type TaskName } from '../task-names.ts'
import { gardenCheckTask } from './garden-check.task.ts'
import { linkSuggestionsTask } from './link-suggestions.task.ts'
import { researchBriefTask } from './research-brief.task.ts'

/** What the extractive executor can do. */
const TASKS: Record<TaskName, Task> = {
  'research-brief': researchBriefTask,
  'link-suggestions': linkSuggestionsTask,
  'garden-check': gardenCheckTask,
}

const isTask = (name: string): name is TaskName => (TASK_NAMES as readonly string[]).includes(name)

/**
 * The task that a definition names with `task`; prose instructions alone are a research brief. Throws ToolFailure DEFINITION_INVALID
 * when it names one that is not known.
 */
export function taskOf({ slug, task }: Pick<AgentDefinition, 'slug' | 'task'>): Task {
  const name = task ?? DEFAULT_TASK
  if (isTask(name)) return TASKS[name]
  throw new ToolFailure('DEFINITION_INVALID', `${slug}: task must be one of ${TASK_NAMES.join(', ')}.`)
}
