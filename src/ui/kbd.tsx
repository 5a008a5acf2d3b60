'use client'
import { useSyncExternalStore } from 'react'
import { showKey } from '#lib/keys.ts'
import { cx } from './cx.ts'

const still = () => () => undefined
/** Whether keys are named as on an Apple keyboard; asked in the browser alone. */
export const isApple = () => /mac|iphone|ipad/i.test(navigator.platform)

/** Keys as small caps of a keyboard: `<Kbd keys="g i" />`. Drawn by the stylesheet, so that they are in no button's name. */
export function Kbd({ keys, quiet = false }: { keys: string; quiet?: boolean }) {
  const apple = useSyncExternalStore(still, isApple, () => false)
  return (
    <span className="ml-0.5 inline-flex gap-0.5 pointer-coarse:hidden" aria-hidden>
      {showKey(keys, apple).map((key) => (
        <kbd
          key={key}
          data-key={key}
          className={cx(
            'before:content-[attr(data-key)] inline-grid h-[18px] min-w-[18px] place-items-center rounded-[4px] border px-1 text-[11px] leading-none',
            quiet ? 'border-current/35' : 'border-line bg-sunken text-ink-3',
          )}
        />
      ))}
    </span>
  )
}
