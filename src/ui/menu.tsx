'use client'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'

export type MenuItem =
  | {
      id: string
      label: ReactNode
      icon?: ReactNode
      run: () => void
      disabledReason?: string
      tone?: 'danger'
      checked?: boolean
    }
  | { id: string; heading: ReactNode }

type Props = {
  /** What the menu is of; the accessible name of the button and the list. */
  label: string
  /** The content of the button. */
  children: ReactNode
  items: readonly MenuItem[]
  className?: string
  /** On a phone at the lower edge of the screen, in reach of the thumb that opened it. */
  sheet?: boolean
}

const GAP = 4
const PHONE = '(width < 52rem)'
const SHEET =
  'max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[80dvh] max-md:w-full max-md:max-w-none max-md:overflow-y-auto max-md:rounded-b-none max-md:px-2 max-md:pb-[calc(0.5rem+env(safe-area-inset-bottom))] max-md:pt-2'

/** A button that opens a list of acts: arrows move, Home and End jump, Escape and a click elsewhere close. */
export function Menu({ label, children, items, className, sheet = false }: Props) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const [at, menu] = [button.current, list.current]
    if (!open || !at || !menu) return
    menu.showPopover()
    if (!sheet || !window.matchMedia(PHONE).matches) place(menu, at)
    menu.querySelector<HTMLElement>('[role^=menuitem]')?.focus()
    const onToggle = (event: Event) => (event as ToggleEvent).newState === 'closed' && setOpen(false)
    menu.addEventListener('toggle', onToggle)
    return () => menu.removeEventListener('toggle', onToggle)
  }, [open, sheet])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        onClick={() => setOpen((was) => !was)}
        className={className}
      >
        {children}
      </button>
      {open ? (
        <div
          ref={list}
          id={id}
          popover="auto"
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={(event) => onMenuKey(event, close)}
          className={cx(
            'rise fixed min-w-48 max-w-80 rounded border border-line bg-surface p-1 text-base text-ink shadow-float',
            sheet && SHEET,
          )}
        >
          {items.map((item) =>
            'heading' in item ? (
              <div key={item.id} className="px-2 pb-1 pt-2 text-xs font-medium text-ink-3 first:pt-1">
                {item.heading}
              </div>
            ) : (
              <Item key={item.id} item={item} close={close} />
            ),
          )}
        </div>
      ) : null}
    </>
  )
}

function Item({ item, close }: { item: Exclude<MenuItem, { heading: ReactNode }>; close: () => void }) {
  const run = () => {
    if (item.disabledReason) return
    close()
    item.run()
  }
  return (
    <button
      type="button"
      {...(item.checked === undefined
        ? { role: 'menuitem' }
        : { role: 'menuitemradio', 'aria-checked': item.checked })}
      aria-disabled={item.disabledReason !== undefined || undefined}
      aria-description={item.disabledReason}
      data-tip={item.disabledReason}
      tabIndex={-1}
      onClick={run}
      className={cx(
        'flex min-h-8 w-full items-center gap-2 rounded-[4px] px-2 text-left hover:bg-hover focus:bg-hover focus:outline-none aria-disabled:opacity-55 pointer-coarse:min-h-11 [&>svg]:size-4',
        item.tone === 'danger' && 'text-failed',
        item.checked && 'font-medium text-accent',
      )}
    >
      {item.icon}
      <span className="min-w-0 flex-1">{item.label}</span>
      {item.checked ? <Icon name="check" /> : null}
    </button>
  )
}

function onMenuKey(event: KeyboardEvent<HTMLDivElement>, close: () => void): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key]
  if (to !== undefined) {
    event.preventDefault()
    items[to]?.focus()
  } else if (event.key === 'Escape' || event.key === 'Tab') {
    event.preventDefault()
    close()
  }
}

/** Below the button where there is room, above otherwise; never outside the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const own = menu.getBoundingClientRect()
  const below = at.bottom + GAP
  menu.style.left = `${Math.max(GAP, Math.min(at.left, window.innerWidth - own.width - GAP))}px`
  menu.style.top = `${below + own.height < window.innerHeight ? below : Math.max(GAP, at.top - own.height - GAP)}px`
}
