/**
 * Every dialog, menu and panel that a component test opens is looked at by axe when it first opens in a run of the tests, whatever the test is about.
 * So a new one is checked as soon as any test opens it; that every one is opened by some test is a check of its own (`server/launch/overlays.mjs`).
 */
import { afterEach, expect } from 'vitest'
import { faultsOf } from './expect-accessible.ts'

/** Whose overlays a run has looked at: kept by the page that shows one file of tests after the other, each in a frame of its own. */
const run = window.parent as { overlaysLookedAt?: Set<string> }
run.overlaysLookedAt ??= new Set()
const known = run.overlaysLookedAt

/** The design system's own parts; whose overlay it is says the first component above them. */
const PARTS = [
  'Dialog',
  'DialogFrame',
  'OnDemand',
  'Confirm',
  'ConfirmDialog',
  'ConfirmBody',
  'OutcomeDialog',
  'Menu',
  'Popover',
  'Coming',
  'DialogOnDemand',
  'Page',
]

/** `_debugOwner`: the component in whose source the element stands, wherever it is shown. */
type Fiber = { type: unknown; return: Fiber | null; _debugOwner?: Fiber | null }

/** The component that shows it and the part that it shows, by their names in the source: `AgentCommands Menu`. */
function ownerOf(element: Element): string {
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'))
  let at = key ? (element as unknown as Record<string, Fiber>)[key] : null
  let part = ''
  for (; at; at = at._debugOwner ?? at.return) {
    const name = typeof at.type === 'function' ? at.type.name : ''
    if (name && !PARTS.includes(name)) return `${name} ${part}`
    part = name || part
  }
  return ''
}

const open: Promise<string[]>[] = []
/** Whose overlays the test has opened: its report names them, and a check asks for every one of the sources. */
const opened = new Set<string>()

declare module 'vitest' {
  interface TaskMeta {
    overlays?: string[]
  }
}

/** Its first frame is painted by then, and what it asks for at once is there or shown as on its way. */
const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

async function lookAt(element: HTMLElement): Promise<string[]> {
  const owner = ownerOf(element)
  if (owner) opened.add(owner)
  await settled()
  if (!owner || known.has(owner) || !element.isConnected) return []
  const faults = await faultsOf(element)
  // Gone while it was looked at: the next one is looked at instead.
  if (!element.isConnected || !element.matches('dialog:modal, :popover-open')) return []
  known.add(owner)
  return faults.map((fault) => `${owner}: ${fault}`)
}

/** Has each overlay looked at from now on; a fault fails the test that opened it. */
export function watchOverlays(): void {
  const { showModal } = HTMLDialogElement.prototype
  const { showPopover } = HTMLElement.prototype
  HTMLDialogElement.prototype.showModal = function show(this: HTMLDialogElement) {
    showModal.call(this)
    open.push(lookAt(this))
  }
  HTMLElement.prototype.showPopover = function show(this: HTMLElement, ...given) {
    showPopover.apply(this, given)
    if (this.matches('[role=menu], [role=dialog]')) open.push(lookAt(this))
  }
  afterEach(async ({ task }) => {
    if (opened.size > 0) task.meta.overlays = [...opened]
    opened.clear()
    expect((await Promise.all(open.splice(0))).flat()).toEqual([])
  })
}
