'use client'
import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 250

/** What is typed, passed on once typing pauses; a value from outside, such as the Back button's, replaces it. */
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
    const timer = setTimeout(() => {
      sent.current = typed
      onChange(typed)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  })
  return [typed, setTyped] as const
}

type Props = { label: string; value: string; onChange: (value: string) => void }

const BOX =
  'h-8 rounded border border-line-strong/50 bg-surface px-2 text-base hover:border-line-strong pointer-coarse:h-11'

/** A filter that is typed whole: a name, an id. */
export function TextFilter({ label, value, onChange }: Props) {
  const [typed, setTyped] = useTyped(value, onChange)
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      className={`${BOX} w-36 min-w-0`}
    />
  )
}

/** A day in UTC, as every time of a list is filtered. */
export function DateFilter({ label, value, onChange }: Props) {
  return (
    <label className="flex items-center gap-1.5 text-sm text-ink-2">
      {label}
      <input
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${BOX} text-sm`}
      />
    </label>
  )
}
