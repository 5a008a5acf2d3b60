import { z } from 'zod'
import { shellWord } from '#domain/membridge/join-text.rules.ts'
import { EdgeFault } from '../fault.ts'
import { PULL_HOOK, PUSH_HOOK } from './hook-scripts.ts'
import { type Span, spansOf, withMember, withoutMember } from './json-text.ts'

/**
 * The lines of Claude's `settings.json` that run the hooks [edge#hooks]. Added and taken out in the text itself: nothing else of the file moves.
 */
const EVENTS = { SessionStart: PULL_HOOK, Stop: PUSH_HOOK } as const
type Event = keyof typeof EVENTS
const EVENT_NAMES = Object.keys(EVENTS) as Event[]

/** Seconds; a session waits no longer for a hook. */
const TIMEOUT = 120

const commandOf = (bin: string, event: Event): string => shellWord(`${bin}/${EVENTS[event]}`)

/** A session that is compacted or cleared goes on with the database that it has. */
const groupOf = (bin: string, event: Event) => ({
  ...(event === 'SessionStart' ? { matcher: 'startup|resume' } : {}),
  hooks: [{ type: 'command', command: commandOf(bin, event), timeout: TIMEOUT }],
})

/** What has to stand in the settings, as JSON. */
export const hookLines = (bin: string): string =>
  JSON.stringify(
    { hooks: Object.fromEntries(EVENT_NAMES.map((event) => [event, [groupOf(bin, event)]])) },
    null,
    2,
  )

const GROUPS = z.array(z.looseObject({ hooks: z.array(z.looseObject({ command: z.string().optional() })) }))
const SETTINGS = z.looseObject({
  hooks: z.looseObject({ SessionStart: GROUPS.optional(), Stop: GROUPS.optional() }).optional(),
})
type ClaudeSettings = z.infer<typeof SETTINGS>

function read(text: string): ClaudeSettings {
  try {
    return SETTINGS.parse(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch {
    throw new EdgeFault(
      'the settings of Claude are no JSON of the known form: put them right, or add the lines of `membridge hooks print` by hand',
    )
  }
}

/** The settings with both hooks; `others` names those of another folder that run already, in whose place none is added. */
export function withHooks(text: string, bin: string): { text: string; others: string[] } {
  let result = text.trim() === '' ? '{}\n' : text
  const others: string[] = []
  for (const event of EVENT_NAMES) {
    const commands = (read(result).hooks?.[event] ?? []).flatMap(({ hooks }) =>
      hooks.map((hook) => hook.command),
    )
    const same = commands.filter((command) => command?.includes(EVENTS[event]))
    others.push(...same.filter((command) => command !== commandOf(bin, event)).map(String))
    if (same.length === 0) result = withGroup(result, event, groupOf(bin, event))
  }
  return { text: result, others }
}

function withGroup(text: string, event: Event, group: object): string {
  const root = spansOf(text)
  const hooks = root.inside.get('hooks')
  const groups = hooks?.inside.get(event)
  const json = (value: unknown) => JSON.stringify(value, null, '\t')
  if (groups) return withMember(text, groups, json(group))
  if (hooks) return withMember(text, hooks, `"${event}": ${json([group])}`)
  return withMember(text, root, `"hooks": ${json({ [event]: [group] })}`)
}

/** The settings without the hooks of that folder, and without what they alone filled. */
export function withoutHooks(text: string, bin: string): string {
  let result = text
  if (text.trim() === '') return text
  for (const event of EVENT_NAMES) {
    const command = commandOf(bin, event)
    for (let at = find(result, event, command); at; at = find(result, event, command)) {
      const holders = holdersOf(spansOf(result), ['hooks', event, at.group, 'hooks', at.hook])
      result = withoutLast(result, holders)
    }
  }
  return result
}

function find(text: string, event: Event, command: string): { group: string; hook: string } | null {
  for (const [group, { hooks }] of (read(text).hooks?.[event] ?? []).entries()) {
    const hook = hooks.findIndex((one) => one.command === command)
    if (hook >= 0) return { group: String(group), hook: String(hook) }
  }
  return null
}

/** The spans on the way from the root to a value, the root first. */
function holdersOf(root: Span, way: string[]): Span[] {
  const holders = [root]
  for (const name of way) {
    const span = holders.at(-1)?.inside.get(name)
    if (span) holders.push(span)
  }
  return holders
}

/** Takes out the last span, or the outermost holder that holds nothing else. A group may hold other things than its hooks. */
function withoutLast(text: string, holders: Span[]): string {
  let last = holders.length - 1
  while (last > 1 && isAlone(holders[last - 1], holders.length - last)) last--
  const [from, member] = [holders[last - 1], holders[last]]
  return from && member ? withoutMember(text, from, member) : text
}

/** Whether a holder goes with its last member: a group also when only its `matcher` is left. */
const isAlone = (holder: Span | undefined, level: number): boolean => {
  const names = [...(holder?.inside.keys() ?? [])].filter((name) => level !== 2 || name !== 'matcher')
  return names.length === 1
}
