/**
 * The form of the editor over the text of `_agent.md`: each field reads its own lines and writes them back, so that what somebody wrote by
 * hand stays as it is. Only the forms that this file writes are understood; the server's check judges everything else.
 */
export type Fields = {
  name: string
  slug: string
  description: string
  version: string
  model: string
  task: string
  /** May ask its owner what it lacks. */
  asks: boolean
  cron: string
  zone: string
  events: string[]
  body: string
}

/** What the form offers; the file may name another one. */
export const MODELS = ['extractive', 'worker/*'] as const
/** Its tasks are code; every other model follows its instructions. */
export const hasTasks = (model: string): boolean => model === 'extractive'

export const TASKS = ['research-brief', 'link-suggestions', 'garden-check'] as const
/** The tasks that ask. */
export const ASKING_TASKS: readonly string[] = ['', 'research-brief']
/** What asking takes: the question, and the search for notes that a question may mean. */
const ASKING_TOOLS = ['search-notes', 'ask-person']
export const EVENTS = ['note/created', 'comment/approved', 'artifact/created'] as const

const MODEL_NEEDS = {
  tools: '[search-notes, read-notes, create-proposal]',
  outputs: '[propose-note, propose-edit]',
}
const NEEDS: Record<string, { tools: string; outputs: string }> = {
  '': { tools: '[notebooklm-query, read-notes, create-proposal]', outputs: '[propose-note]' },
  'research-brief': { tools: '[notebooklm-query, read-notes, create-proposal]', outputs: '[propose-note]' },
  'link-suggestions': { tools: '[read-notes, create-proposal]', outputs: '[propose-edit]' },
  'garden-check': { tools: '[read-notes, create-proposal]', outputs: '[propose-note]' },
}

/** The text of a new agent without a language model, made on `day` (`YYYY-MM-DD`). */
export const newDefinition = (day: string): string => `---
name: ""
slug: ""
description: ""
version: 1.0.0
status: draft
model: extractive
tools: ${NEEDS['']?.tools}
safe_outputs: ${NEEDS['']?.outputs}
triggers:
  manual: true
created_by: owner
created_at: ${day}
updated_at: ${day}
---

`

const SEMVER = /^(\d+)\.(\d+)\.(\d+)$/
/** The text as the beginning of an edit: its version raised, its day set. */
export function raised(text: string, day: string): string {
  const parts = SEMVER.exec(scalar(text, 'version'))
  const next = parts ? `${parts[1]}.${Number(parts[2]) + 1}.0` : scalar(text, 'version')
  return withKey(withKey(text, 'version', next), 'updated_at', day)
}

export function fieldsOf(text: string): Fields {
  const triggers = block(text, 'triggers')
  const inner = (key: string) => plain(new RegExp(`^\\s+${key}:(.*)$`, 'm').exec(triggers)?.[1] ?? '')
  return {
    name: scalar(text, 'name'),
    slug: scalar(text, 'slug'),
    description: scalar(text, 'description'),
    version: scalar(text, 'version'),
    model: scalar(text, 'model'),
    task: scalar(text, 'task'),
    asks: toolsOf(text).includes('ask-person'),
    cron: inner('cron'),
    zone: inner('zone'),
    events: EVENTS.filter((event) => triggers.includes(event)),
    body: text.slice(split(text).head.length).replace(/^\n+/, ''),
  }
}

/** The text with one field changed. */
export function withField<K extends keyof Fields>(text: string, key: K, value: Fields[K]): string {
  if (key === 'body') return `${split(text).head}\n${value}`
  if (key === 'model') return withModel(text, String(value))
  if (key === 'task') return withTask(text, String(value))
  if (key === 'asks') return withAsking(text, value === true)
  if (key === 'cron' || key === 'zone' || key === 'events') {
    const manual = !/\bmanual:\s*false\b/.test(block(text, 'triggers'))
    const triggers = { ...fieldsOf(text), manual, [key]: value }
    return withKey(text, 'triggers', triggersBlock(triggers), 'block')
  }
  return withKey(text, key, quoted(String(value)))
}

function withTask(text: string, task: string): string {
  const chosen = withKey(text, 'task', task === '' ? null : task)
  const ready = withNeeds(chosen, NEEDS[task] ?? NEEDS[''])
  return ASKING_TASKS.includes(task) && fieldsOf(text).asks ? withAsking(ready, true) : ready
}

/** Another model; what its kind needs follows when the kind changes. */
function withModel(text: string, model: string): string {
  const chosen = withKey(text, 'model', quoted(model))
  if (hasTasks(model) === hasTasks(fieldsOf(text).model)) return chosen
  if (hasTasks(model)) return withTask(chosen, '')
  const ready = withNeeds(withKey(chosen, 'task', null), MODEL_NEEDS)
  return fieldsOf(text).asks ? withAsking(ready, true) : ready
}

const withNeeds = (text: string, needs: { tools: string; outputs: string } | undefined): string =>
  withKey(withKey(text, 'tools', needs?.tools ?? ''), 'safe_outputs', needs?.outputs ?? '')

/** The tools of the definition, in either form of a list. */
const toolsOf = (text: string): string[] =>
  block(text, 'tools')
    .match(/[a-z][a-z-]+/g)
    ?.slice(1) ?? []

function withAsking(text: string, on: boolean): string {
  const tools = toolsOf(text).filter((tool) => tool !== 'ask-person')
  const wanted = on ? [...new Set([...tools, ...ASKING_TOOLS])] : tools
  return withKey(text, 'tools', `[${wanted.join(', ')}]`)
}

type Triggers = Pick<Fields, 'cron' | 'zone' | 'events'> & { manual: boolean }

function triggersBlock({ manual, cron, zone, events }: Triggers): string {
  const lines = [
    'triggers:',
    `  manual: ${manual}`,
    ...(cron ? [`  cron: ${JSON.stringify(cron)}`] : []),
    ...(zone ? [`  zone: ${quoted(zone)}`] : []),
    ...(events.length > 0 ? [`  events: [${events.join(', ')}]`] : []),
  ]
  return lines.join('\n')
}

/** Frontmatter with both fences and their line breaks, and the rest. */
function split(text: string): { head: string; rest: string } {
  const head = /^---\n[\s\S]*?\n---[ \t]*(?:\n|$)/.exec(text)?.[0] ?? ''
  return { head, rest: text.slice(head.length) }
}

/** The lines of a top-level key: its own and those that belong to it. */
const pattern = (key: string) => new RegExp(`^${key}:.*(?:\\n(?:[ \\t]+|-[ \\t]).*)*`, 'm')
const block = (text: string, key: string): string => pattern(key).exec(split(text).head)?.[0] ?? ''
const scalar = (text: string, key: string): string =>
  plain(new RegExp(`^${key}:(.*)$`, 'm').exec(split(text).head)?.[1] ?? '')

function withKey(
  text: string,
  key: string,
  value: string | null,
  form: 'scalar' | 'block' = 'scalar',
): string {
  const { head, rest } = split(text)
  if (head === '') return text
  const lines = value === null ? '' : form === 'block' ? value : `${key}: ${value}`
  const there = pattern(key).exec(head)
  if (!there) return lines === '' ? text : `${head.replace(/\n---[ \t]*\n?$/, `\n${lines}$&`)}${rest}`
  const end = there.index + there[0].length
  const after = head.slice(lines === '' ? end + 1 : end)
  return head.slice(0, there.index) + lines + after + rest
}

/** A scalar without its quotes. */
function plain(raw: string): string {
  const value = raw.trim()
  if (value.startsWith('"')) {
    try {
      return String(JSON.parse(value))
    } catch {
      return value
    }
  }
  return value.startsWith("'") && value.endsWith("'") && value.length > 1
    ? value.slice(1, -1).replaceAll("''", "'")
    : value
}

/** Quoted unless it is plainly a word: what a person writes is never read as YAML. */
const quoted = (value: string): string =>
  /^[\p{L}][\p{L}\p{N} ./_-]*$/u.test(value) &&
  !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value) &&
  !/\s$/.test(value)
    ? value
    : JSON.stringify(value)
