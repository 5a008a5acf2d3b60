'use client'
import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 250

/** What is typed, passed on once typing pauses, or by the third when the field is left; a value from outside, such as the Back button's, replaces it. */
export function useTyped(value: string, onChange: (value: string) => void) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed === sent.current) return
    const timer = setTimeout(pass, PAUSE_MS)
    return () => clearTimeout(timer)
  })
  function pass() {
    if (typed === sent.current) return
    sent.current = typed
    onChange(typed)
  }
  return [typed, setTyped, pass] as const
}

type Props = {
  label: string
  value: string
  /** A value on the way to another is `typed`; any other was chosen. */
  onChange: (value: string, how?: 'typed') => void
}

const BOX =
  'h-8 rounded border border-line-strong/50 bg-surface px-2 text-base hover:border-line-strong pointer-coarse:h-11'

/** A filter that is typed whole: a name, an id. */
export function TextFilter({ label, value, onChange }: Props) {
  const [typed, setTyped, pass] = useTyped(value, (next) => onChange(next, 'typed'))
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={pass}
      className={`${BOX} w-36 min-w-0`}
    />
  )
}

/** A day in UTC, as every time of a list is filtered. The browser tells of a day that is picked as of one that is typed, but for the keys before it. */
export function DateFilter({ label, value, onChange }: Props) {
  const isTyping = useRef(false)
  const picks = () => {
    isTyping.current = false
  }
  return (
    <label className="flex items-center gap-1.5 text-sm text-ink-2">
      {label}
      <input
        type="date"
        value={value}
        onKeyDown={() => {
          isTyping.current = true
        }}
        onPointerDown={picks}
        onBlur={picks}
        onChange={(event) => onChange(event.target.value, isTyping.current ? 'typed' : undefined)}
        className={`${BOX} text-sm`}
      />
    </label>
  )
}
