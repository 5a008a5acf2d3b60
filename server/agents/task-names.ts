/** What an agent without a language model can do; `task` in the frontmatter chooses. */
export const TASK_NAMES = ['research-brief', 'link-suggestions', 'garden-check'] as const
export type TaskName = (typeof TASK_NAMES)[number]

/** What prose instructions without `task` mean. */
export const DEFAULT_TASK: TaskName = 'research-brief'
