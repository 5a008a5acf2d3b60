import { describe, expect, it } from 'vitest'
import { ActionRegistry } from './actions.ts'
import { type KeyPress, nameOfKey, showKey } from './keys.ts'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
})

describe('the name of a key press', () => {
  it.each([
    [press('j'), 'j'],
    [press('J', { shiftKey: true }), 'J'],
    [press('?', { shiftKey: true }), '?'],
    [press('k', { ctrlKey: true }), 'mod+k'],
    [press('K', { metaKey: true, shiftKey: true }), 'mod+shift+k'],
    [press('Enter', { shiftKey: true }), 'shift+Enter'],
    [press('Shift', { shiftKey: true }), null],
    [press('о', { code: 'KeyJ' }), 'j'],
    [press('О', { code: 'KeyJ', shiftKey: true }), 'J'],
    [press('ї', { code: 'BracketRight' }), ']'],
    [press('л', { code: 'KeyK', ctrlKey: true }), 'mod+k'],
  ])('%j is %s', (event, name) => {
    expect(nameOfKey(event)).toBe(name)
  })
  it('is shown as the keyboard has it', () => {
    expect(showKey('mod+k', false)).toEqual(['Ctrl', 'k'])
    expect(showKey('mod+k', true)).toEqual(['⌘', 'k'])
    expect(showKey('g i', false)).toEqual(['g', 'i'])
  })
})

describe('the registry of actions', () => {
  const registryOf = (...actions: { id: string; keys: string; scope?: 'dialog' }[]) => {
    const registry = new ActionRegistry()
    for (const action of actions)
      registry.set(Symbol(action.id), { label: action.id, run: () => undefined, ...action })
    return registry
  }
  it('finds a key, and a sequence by its halves', () => {
    const registry = registryOf(
      { id: 'approve', keys: 'a' },
      { id: 'inbox', keys: 'g i' },
      { id: 'agents', keys: 'g a' },
    )
    expect(registry.match('a', 0, 'page')?.id).toBe('approve')
    expect(registry.match('g', 10, 'page')).toBeUndefined()
    expect(registry.match('a', 500, 'page')?.id).toBe('agents')
    expect(registry.match('a', 600, 'page')?.id).toBe('approve')
  })
  it('forgets the first half after a while, and after a key that does not belong', () => {
    const registry = registryOf({ id: 'inbox', keys: 'g i' })
    registry.match('g', 0, 'page')
    expect(registry.match('i', 5_000, 'page')).toBeUndefined()
    registry.match('g', 6_000, 'page')
    registry.match('z', 6_100, 'page')
    expect(registry.match('i', 6_200, 'page')).toBeUndefined()
  })
  it('gives a key to the last that asked, and back when it goes', () => {
    const registry = registryOf({ id: 'list', keys: 'r' })
    const detail = Symbol('detail')
    registry.set(detail, { id: 'detail', label: '', keys: 'r', run: () => undefined })
    expect(registry.match('r', 0, 'page')?.id).toBe('detail')
    registry.remove(detail)
    expect(registry.match('r', 1, 'page')?.id).toBe('list')
  })
  it('keeps the page still while a dialog is open', () => {
    const registry = registryOf({ id: 'approve', keys: 'a' }, { id: 'ok', keys: 'o', scope: 'dialog' })
    expect(registry.match('a', 0, 'dialog')).toBeUndefined()
    expect(registry.match('o', 1, 'dialog')?.id).toBe('ok')
    expect(registry.match('o', 2, 'page')).toBeUndefined()
  })
  it('tells its readers about every change, by a new list', () => {
    const registry = registryOf({ id: 'a', keys: 'a' })
    const before = registry.list()
    let notified = 0
    registry.subscribe(() => notified++)
    registry.set(Symbol('b'), { id: 'b', label: '', run: () => undefined })
    expect(notified).toBe(1)
    expect(registry.list()).not.toBe(before)
    expect(registry.list()).toBe(registry.list())
  })
})
