import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { allOperations } from '#server/composition/all-operations.ts'
import { KEYBOARD_WAYS, NOT_BY_HAND } from './keyboard-ways.ts'
import type { Operation } from './operation.ts'

/** What a person can be offered to change: every write that the console's procedures have. */
const WRITES = Object.entries(allOperations).flatMap(([room, list]: [string, Record<string, Operation>]) =>
  Object.entries(list).flatMap(([name, { kind, trpc }]) =>
    kind === 'write' && trpc ? [`${room}.${name}`] : [],
  ),
)

const sources = fs
  .readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|\/testing\/|\/specimens\//.test(name))
  .map((name) => fs.readFileSync(path.join('src', name), 'utf8'))

/** Whether a page sends it: by its full name, or by that of the room under a shorter one (`const { snooze } = useTRPC().proposals`). */
function isOffered(operation: string): boolean {
  const [room, name] = operation.split('.')
  const full = new RegExp(`\\b${room}\\.${name}\\.(mutationOptions|mutate)\\b`)
  const short = new RegExp(`\\.${room}\\b[^]*\\b${name}\\.mutationOptions\\b`)
  return sources.some((text) => full.test(text) || short.test(text))
}

/** What the browser puts into the order of Tab by itself, and the components that are made of it. */
const CONTROL = /<(Button|IconButton|Menu|Confirm|Form|button|ProposeButton|Checkbox|ObjectMenu)\b/

/** How the file names the act: the menu of an object makes the ids of its commands from its room. */
const idIn = (text: string, act: string): string =>
  text.includes('<ObjectMenu') ? `room: '${act.replace(/\.\*$/, '')}'` : act

describe('without a pointer', () => {
  test('every operation that a person can ask for has a way, and only those have', () => {
    expect(Object.keys({ ...KEYBOARD_WAYS, ...NOT_BY_HAND }).sort()).toEqual([...WRITES].sort())
    expect(Object.keys(KEYBOARD_WAYS).filter((operation) => !isOffered(operation))).toEqual([])
    const machines = Object.keys(NOT_BY_HAND).filter((operation) => operation !== 'proposals.markSeen')
    expect(machines.filter(isOffered)).toEqual([])
  })

  test.each(Object.entries(KEYBOARD_WAYS).flatMap(([name, ways]) => ways.map((way) => ({ name, ...way }))))(
    '$name: $act $key in $in',
    ({ in: file, act, key }) => {
      const text = fs.readFileSync(file, 'utf8')
      expect(text).toMatch(CONTROL)
      if (act) {
        expect(text).toMatch(/useAction\(|<PaletteAction|<ProposeButton|<ObjectMenu/)
        expect(text.replace(/\$\{[^}]*\}/g, '*')).toContain(idIn(text, act))
      }
      if (key) expect(text).toMatch(new RegExp(`['"]${key}['"]`))
    },
  )
})
