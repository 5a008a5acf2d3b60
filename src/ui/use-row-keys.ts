'use client'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import type { Selection } from './data-table.tsx'
import { toggled } from './data-table-row.tsx'

type Props = {
  on: boolean
  ids: readonly string[]
  /** The row that a key acts on, asked for when it is pressed. */
  focused: () => string | null
  setFocused: (id: string) => void
  open: ((id: string) => void) | undefined
  selection: Selection | undefined
}

/** The id `step` rows away, held at the ends; the first row when none is focused. Pure. */
export function neighbour(ids: readonly string[], from: string | null, step: 1 | -1): string | undefined {
  const at = from === null ? -1 : ids.indexOf(from)
  if (at < 0) return step === 1 ? ids[0] : ids.at(-1)
  return ids[Math.min(Math.max(at + step, 0), ids.length - 1)]
}

/** j k (or arrows) move, Enter opens, x selects, J K extend the selection. */
export function useRowKeys({ on, ids, focused: focusedNow, setFocused, open, selection }: Props): void {
  const t = useTranslations('ui')
  const group = t('list')
  const move = (step: 1 | -1, extend = false) => {
    const focused = focusedNow()
    const next = neighbour(ids, focused, step)
    if (!next || next === focused) return
    setFocused(next)
    if (extend && selection) {
      selection.onChange(toggled(focused ? toggled(selection.ids, focused, true) : selection.ids, next, true))
    }
  }
  const withFocused = (act: (id: string) => void) => {
    const focused = focusedNow()
    if (focused) act(focused)
  }
  const row = { group, palette: false } as const
  useAction(
    on ? { ...row, id: 'row.next', label: t('keyNext'), keys: ['j', 'ArrowDown'], run: () => move(1) } : null,
  )
  useAction(
    on
      ? { ...row, id: 'row.previous', label: t('keyPrevious'), keys: ['k', 'ArrowUp'], run: () => move(-1) }
      : null,
  )
  useAction(
    on && open
      ? { ...row, id: 'row.open', label: t('keyOpen'), keys: 'Enter', run: () => withFocused(open) }
      : null,
  )
  const selects = on && selection !== undefined
  useAction(
    selects
      ? {
          ...row,
          id: 'row.select',
          label: t('keySelect'),
          keys: 'x',
          run: () =>
            withFocused((id) => selection.onChange(toggled(selection.ids, id, !selection.ids.has(id)))),
        }
      : null,
  )
  useAction(
    selects
      ? { ...row, id: 'row.extend.next', label: t('keyExtendNext'), keys: 'J', run: () => move(1, true) }
      : null,
  )
  useAction(
    selects
      ? {
          ...row,
          id: 'row.extend.previous',
          label: t('keyExtendPrevious'),
          keys: 'K',
          run: () => move(-1, true),
        }
      : null,
  )
}
