/** A finger on the page, through the browser's own handling of touches: what it scrolls it takes away from the page. */
import { cdp, page } from 'vitest/browser'

type Point = readonly [x: number, y: number]
type Touches = { send: (method: string, params: object) => Promise<unknown> }
const STEPS = 8

/** Makes the window a phone with a touch screen, until what this gives is called; from then on it has no pointer, since the browser forgets its mouse. */
export async function becomePhone(): Promise<() => Promise<void>> {
  const touch = (enabled: boolean) => send('Emulation.setTouchEmulationEnabled', { enabled })
  await page.viewport(390, 800)
  await touch(true)
  // A window that had a touch screen from its beginning has this; the library of the swipe, which is loaded later, asks for it.
  Reflect.set(window, 'ontouchstart', null)
  return async () => {
    await touch(false)
    await page.viewport(1280, 800)
  }
}

/** Puts a finger down, draws it from one point of the page's window to another, and lifts it; `midway` is asked before that. */
export async function draw(from: Point, to: Point, midway: () => unknown = () => undefined): Promise<void> {
  await dispatch('touchStart', from)
  for (let step = 1; step <= STEPS; step++) {
    const along = (n: 0 | 1) => from[n] + ((to[n] - from[n]) * step) / STEPS
    await dispatch('touchMove', [along(0), along(1)])
  }
  // A finger that a failed test leaves on the page would be part of the next gesture.
  try {
    await midway()
  } finally {
    await dispatch('touchEnd')
  }
}

const send = (method: string, params: object) => (cdp() as unknown as Touches).send(method, params)

/** The test's window is a frame of the page that the browser knows. */
function dispatch(type: string, at?: Point): Promise<unknown> {
  const frame = window.frameElement
  const box = frame?.getBoundingClientRect() ?? new DOMRect(0, 0, window.innerWidth)
  const scale = box.width / window.innerWidth
  const touchPoints = at ? [{ x: box.left + at[0] * scale, y: box.top + at[1] * scale }] : []
  return send('Input.dispatchTouchEvent', { type, touchPoints })
}
