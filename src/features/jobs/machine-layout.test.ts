import { describe, expect, it } from 'vitest'
import { jobMachine } from '#domain/job/job.machine.ts'
import { edges } from '#domain/kernel/machine.ts'
import { arrows, BOX, PICTURE, PLACES } from './machine-layout.ts'

const drawn = arrows()
/** The corners of an arrow. */
function cornersOf(path: string): { x: number; y: number }[] {
  let [x, y] = [0, 0]
  return [...path.matchAll(/([MHV])([\d.-]+)(?: ([\d.-]+))?/g)].map(([, command, first, second]) => {
    if (command !== 'V') x = Number(first)
    if (command === 'M') y = Number(second)
    if (command === 'V') y = Number(first)
    return { x, y }
  })
}
const boxOf = ({ x, y }: { x: number; y: number }) => ({
  left: x - BOX.width / 2,
  right: x + BOX.width / 2,
  top: y,
  bottom: y + BOX.height,
})

describe('the picture of the job machine', () => {
  it('has every edge of the table, and no other', () => {
    const pairs = edges(jobMachine).flatMap(({ from, to, event }) => (from ? [`${from} ${to} ${event}`] : []))
    expect(
      drawn.flatMap(({ from, to, events }) => events.map((event) => `${from} ${to} ${event}`)).sort(),
    ).toEqual(pairs.sort())
  })

  it.each(drawn.map((arrow) => [`${arrow.from} → ${arrow.to}`, arrow] as const))(
    '%s begins at its state, ends at the other, stays inside, and crosses no box',
    (_, { from, to, path }) => {
      const corners = cornersOf(path)
      const touches = (state: typeof from, { x, y }: { x: number; y: number }) => {
        const { left, right, top, bottom } = boxOf(PLACES[state])
        return x >= left && x <= right && y >= top && y <= bottom
      }
      expect([touches(from, corners[0] as never), touches(to, corners.at(-1) as never)]).toEqual([true, true])
      for (const { x, y } of corners)
        expect(x >= 0 && x <= PICTURE.width && y >= 0 && y <= PICTURE.height).toBe(true)
      for (const [n, end] of corners.slice(1).entries()) {
        const start = corners[n] as typeof end
        for (const state of jobMachine.states) {
          const { left, right, top, bottom } = boxOf(PLACES[state])
          const inX = Math.max(start.x, end.x) > left && Math.min(start.x, end.x) < right
          const inY = Math.max(start.y, end.y) > top && Math.min(start.y, end.y) < bottom
          expect([state, inX && inY]).toEqual([state, false])
        }
      }
    },
  )

  it('tells the ways that only people take from the others', () => {
    const people = drawn.filter(({ byPerson }) => byPerson).map(({ from, to }) => `${from} ${to}`)
    expect(people.sort()).toEqual([
      'CONTEXT_ASSEMBLY FAILED',
      'DEAD QUEUED',
      'FAILED QUEUED',
      'QUEUED FAILED',
    ])
  })
})
